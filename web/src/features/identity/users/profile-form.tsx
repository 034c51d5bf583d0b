import { mutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { ProfileChanges, type User, userRoutes } from '#services/identity/users/user-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { countries } from '@/format/countries.ts'
import { messageOf } from '@/api/api-error.ts'
import { send } from '@/api/api.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput, Select, TextInput } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { userQuery } from '@/features/frame/session-queries.ts'
import { factorsQuery } from '@/features/identity/second-factors/factor-queries.ts'

/** Changes email and address, then reads the signed-in user again (specification §7). */
export const changeProfile = mutationOptions({
  mutationFn: (body: ProfileChanges) => send(userRoutes.changeProfile, { body }),
  onSuccess: (_answer, _input, _before, { client }) =>
    client.invalidateQueries({ queryKey: userQuery.queryKey, refetchType: 'all' }),
})

export const requestEmailConfirmation = mutationOptions({
  mutationFn: (_: void) => send(userRoutes.requestEmailConfirmation),
})

/**
 * Email and address; the name is read-only (specification §2, §5). Takes over later changes, except in edited fields.
 */
export function ProfileForm({
  user: { fullName, email, emailConfirmed, country, city, street, houseNumber },
}: {
  readonly user: User
}) {
  const change = useMutation(changeProfile)
  const { data: factors, isPending: areFactorsLoading } = useQuery(factorsQuery('trader'))
  const ownsFactor = factors !== undefined && (factors.passkeys.length > 0 || factors.authenticator !== null)
  const { control, field, formState, handleSubmit, reset, reportRefusal, setError } = useApiForm(ProfileChanges, {
    email,
    country,
    city,
    street,
    houseNumber,
    currentPassword: '',
  })
  const isNewEmail = useWatch({ control, name: 'email' }) !== email
  // With a second factor, that is asked for instead.
  const asksPassword = isNewEmail && !ownsFactor && !areFactorsLoading
  const onSubmit = handleSubmit(({ currentPassword, ...profile }) => {
    if (asksPassword && !currentPassword)
      return setError('currentPassword', { message: 'Current password is required' }, { shouldFocus: true })
    change.mutate(asksPassword ? { ...profile, currentPassword } : profile, {
      onSuccess: () => {
        reset()
        toast('Profile updated', 'Your profile has been updated successfully.')
      },
      onError: reportRefusal('Update failed'),
    })
  })
  // A country that is not among the choices stays until another is chosen.
  const choices = countries.some(({ value }) => value === country)
    ? countries
    : [{ value: country, label: country || 'Not given' }, ...countries]
  const { isDirty } = formState
  useUnsaved(() => isDirty)
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput label="Full Name" value={fullName} readOnly hint="Your name cannot be changed" />
      <div className="flex flex-col gap-1">
        <TextInput label="Email" type="email" autoComplete="email" {...field('email')} />
        {!emailConfirmed && !isNewEmail && <UnconfirmedEmail />}
      </div>
      {asksPassword && (
        <PasswordInput
          label="Current Password"
          hint="For the new email: whoever has it can sign in."
          autoComplete="current-password"
          {...field('currentPassword')}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Country" autoComplete="country" options={choices} {...field('country')} />
        <TextInput label="City" autoComplete="address-level2" {...field('city')} />
        <TextInput label="Street" autoComplete="address-line1" {...field('street')} />
        <TextInput label="House Number" autoComplete="off" {...field('houseNumber')} />
      </div>
      <FormError error={change.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={change.isPending} disabled={!isDirty || (isNewEmail && areFactorsLoading)}>
          Save Changes
        </Button>
        <Button look="secondary" onClick={reset}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** That the address is not confirmed, with a way to get the link again. */
function UnconfirmedEmail() {
  const request = useMutation(requestEmailConfirmation)
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-waiting">
      Not confirmed: open the link that we mailed you.
      <Button
        look="secondary"
        className="h-7! px-2! text-12!"
        busy={request.isPending}
        onClick={() =>
          request.mutate(undefined, {
            onSuccess: () => toast('Mail sent', 'Open the link in it to confirm your address.'),
            onError: (error) => toastFailure('Error', messageOf(error)),
          })
        }
      >
        Send Again
      </Button>
    </p>
  )
}
