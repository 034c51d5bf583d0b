import { useMutation } from '@tanstack/react-query'
import { ProfileChanges, type User } from '#services/modules/users/user-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { countries } from '@/format/countries.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { changeProfile } from '@/features/sign-in/session-queries.ts'

/**
 * Email and address; the name is read-only (specification §2, §5). Takes over later changes, except in edited fields.
 */
export function ProfileForm({
  user: { fullName, email, country, city, street, houseNumber },
}: {
  readonly user: User
}) {
  const change = useMutation(changeProfile)
  const { field, formState, handleSubmit, reset, reportRefusal } = useApiForm(ProfileChanges, {
    email,
    country,
    city,
    street,
    houseNumber,
  })
  const onSubmit = handleSubmit((profile) =>
    change.mutate(profile, {
      onSuccess: () => {
        reset()
        toast('Profile updated', 'Your profile has been updated successfully.')
      },
      onError: reportRefusal('Update failed'),
    }),
  )
  // A country that is not among the choices stays until another is chosen.
  const choices = countries.some(({ value }) => value === country)
    ? countries
    : [{ value: country, label: country || 'Not given' }, ...countries]
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput label="Full Name" value={fullName} readOnly hint="Your name cannot be changed" />
      <TextInput label="Email" type="email" autoComplete="email" {...field('email')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Country" autoComplete="country" options={choices} {...field('country')} />
        <TextInput label="City" autoComplete="address-level2" {...field('city')} />
        <TextInput label="Street" autoComplete="address-line1" {...field('street')} />
        <TextInput label="House Number" autoComplete="off" {...field('houseNumber')} />
      </div>
      <FormError error={change.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={change.isPending} disabled={!formState.isDirty}>
          Save Changes
        </Button>
        <Button look="secondary" onClick={reset}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
