import { useForm } from 'react-hook-form'
import { messageOf } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { countries } from '../../format/countries.ts'
import { toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, PasswordInput, Select, TextInput } from '../../ui/field.tsx'
import { useRegister } from './queries.ts'

const loadSchemas = () => import('./schemas.ts')
const checked = checkedBy(() => loadSchemas().then(({ registration }) => registration))

const empty = {
  fullName: '',
  email: '',
  password: '',
  confirmPassword: '',
  country: '',
  city: '',
  street: '',
  houseNumber: '',
  privacyPolicyAgreed: false,
}

/** Signs somebody up and in. What goes wrong is told by a toast (specification §8), and at its field where it has one. */
export function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const { register, handleSubmit, setError, formState } = useForm({ resolver: checked, defaultValues: empty })
  const { errors } = formState
  const signUp = useRegister()
  const submit = handleSubmit((registration) =>
    signUp.mutate(registration, {
      onSuccess: onDone,
      onError: (error) => {
        showAtFields(error, ['fullName', 'email', 'password', 'country', 'city', 'street', 'houseNumber'], setError)
        toastFailure('Registration failed', messageOf(error, 'Please try again in a moment.'))
      },
    }),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <TextInput label="Full Name" autoComplete="name" {...register('fullName')} error={errors.fullName?.message} />
      <TextInput label="Email" type="email" autoComplete="email" {...register('email')} error={errors.email?.message} />
      <PasswordInput label="Password" autoComplete="new-password" hint="8 to 100 characters" {...register('password')} error={errors.password?.message} />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...register('confirmPassword')} error={errors.confirmPassword?.message} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Country" autoComplete="country" placeholder="Choose a country" options={countries} {...register('country')} error={errors.country?.message} />
        <TextInput label="City" autoComplete="address-level2" {...register('city')} error={errors.city?.message} />
        <TextInput label="Street" autoComplete="address-line1" {...register('street')} error={errors.street?.message} />
        <TextInput label="House Number" autoComplete="off" {...register('houseNumber')} error={errors.houseNumber?.message} />
      </div>
      <Checkbox label="I agree to the privacy policy" {...register('privacyPolicyAgreed')} error={errors.privacyPolicyAgreed?.message} />
      <Button type="submit" busy={signUp.isPending}>
        Sign Up
      </Button>
    </form>
  )
}
