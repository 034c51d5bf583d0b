import { useMutation } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { RegistrationForm } from '#services/identity/sign-in/sign-in-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { countries } from '@/format/countries.ts'
import { Button } from '@/ui/button.tsx'
import { Checkbox, PasswordInput, Select, TextInput } from '@/ui/field.tsx'
import { textLink } from '@/ui/link.tsx'
import { FormError } from '@/ui/states.tsx'
import { NewPasswordInput } from './new-password-input.tsx'
import { register } from './sign-in-queries.ts'

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

/**
 * Registers and signs in a trader. Failures appear in a toast (specification §8), and at their field if they have one.
 */
export function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const signUp = useMutation(register)
  const { control, field, handleSubmit, reportRefusal } = useApiForm(RegistrationForm, empty)
  const onSubmit = handleSubmit((registration) =>
    signUp.mutate(registration, {
      onSuccess: onDone,
      onError: reportRefusal('Registration failed'),
    }),
  )
  const policy = document.querySelector('meta[name=privacy-policy]')?.getAttribute('content')
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput label="Full Name" autoComplete="name" {...field('fullName')} />
      <TextInput label="Email" type="email" autoComplete="email" {...field('email')} />
      <NewPasswordInput
        label="Password"
        typed={useWatch({ control, name: 'password' })}
        hint="8 to 100 characters"
        {...field('password', { deps: 'confirmPassword' })}
      />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...field('confirmPassword')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Country"
          autoComplete="country"
          placeholder="Choose a country"
          options={countries}
          {...field('country')}
        />
        <TextInput label="City" autoComplete="address-level2" {...field('city')} />
        <TextInput label="Street" autoComplete="address-line1" {...field('street')} />
        <TextInput label="House Number" autoComplete="off" {...field('houseNumber')} />
      </div>
      <Checkbox
        label={<>I agree to the {policy ? <PolicyLink href={policy} /> : 'privacy policy'}</>}
        {...field('privacyPolicyAgreed')}
      />
      <FormError error={signUp.error} />
      <Button type="submit" busy={signUp.isPending}>
        Sign Up
      </Button>
    </form>
  )
}

function PolicyLink({ href }: { readonly href: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title="Opens in a new tab" className={textLink}>
      privacy policy
    </a>
  )
}
