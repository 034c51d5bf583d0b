import { messageOf } from '../../api/api-error.ts'
import { useSmallForm } from '../../form/small-form.ts'
import { countries } from '../../format/countries.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, PasswordInput, Select, TextInput } from '../../ui/field.tsx'
import { useRegister } from './session-queries.ts'

const loadCheck = () => import('./checks.ts').then(({ checkRegistration }) => checkRegistration)

/** Registers and signs in a trader. Failures appear in a toast (specification §8), and at their field if they have one. */
export function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const signUp = useRegister()
  const { form, errors, showRefusal } = useSmallForm(loadCheck, (registration) =>
    signUp.mutate(registration, {
      onSuccess: onDone,
      onError: (error) => {
        showRefusal(error)
        toastFailure('Registration failed', messageOf(error, 'Please try again in a moment.'))
      },
    }),
  )
  return (
    <form {...form} className="flex flex-col gap-4">
      <TextInput label="Full Name" autoComplete="name" name="fullName" error={errors['fullName']} />
      <TextInput label="Email" type="email" autoComplete="email" name="email" error={errors['email']} />
      <PasswordInput label="Password" autoComplete="new-password" hint="8 to 100 characters" name="password" error={errors['password']} />
      <PasswordInput label="Confirm Password" autoComplete="new-password" name="confirmPassword" error={errors['confirmPassword']} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Country" autoComplete="country" placeholder="Choose a country" options={countries} name="country" error={errors['country']} />
        <TextInput label="City" autoComplete="address-level2" name="city" error={errors['city']} />
        <TextInput label="Street" autoComplete="address-line1" name="street" error={errors['street']} />
        <TextInput label="House Number" autoComplete="off" name="houseNumber" error={errors['houseNumber']} />
      </div>
      <Checkbox label="I agree to the privacy policy" name="privacyPolicyAgreed" error={errors['privacyPolicyAgreed']} />
      <Button type="submit" busy={signUp.isPending}>
        Sign Up
      </Button>
    </form>
  )
}
