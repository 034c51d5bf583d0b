import { useForm } from 'react-hook-form'
import type { User } from '../../../../services/api/session-schemas.ts'
import { messageOf } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { countries } from '../../format/countries.ts'
import { toast, toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextInput } from '../../ui/field.tsx'
import { useChangeProfile } from './session-queries.ts'

const loadSchemas = () => import('./profile-checks.ts')
const checked = checkedBy(() => loadSchemas().then(({ profileChanges }) => profileChanges))

/** After saving or cancelling, edits are discarded. */
const discardEdits = { keepDirtyValues: false }

/** Email and address; the name is read-only (specification §2, §5). */
export function ProfileForm({ user: { fullName, email, country, city, street, houseNumber } }: { readonly user: User }) {
  const saved = { email, country, city, street, houseNumber }
  const { register, handleSubmit, reset, setError, formState } = useForm({
    resolver: checked,
    defaultValues: saved,
    // Takes over later changes by an administrator or another tab, except in fields being edited.
    values: saved,
    resetOptions: { keepDirtyValues: true },
  })
  const { errors, isDirty } = formState
  const change = useChangeProfile()
  // A country that is not among the choices stays until another is chosen.
  const choices = countries.some(({ value }) => value === country) ? countries : [{ value: country, label: country || 'Not given' }, ...countries]

  const submit = handleSubmit((profile) =>
    change.mutateAsync(profile).then(
      () => {
        reset({ ...saved, ...profile }, discardEdits)
        toast('Profile updated', 'Your profile has been updated successfully.')
      },
      (error: unknown) => {
        showAtFields(error, ['email', 'country', 'city', 'street', 'houseNumber'], setError)
        toastFailure('Update failed', messageOf(error, 'Please try again in a moment.'))
      },
    ),
  )

  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <TextInput label="Full Name" value={fullName} readOnly hint="Your name cannot be changed" />
      <TextInput label="Email" type="email" autoComplete="email" {...register('email')} error={errors.email?.message} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Country" autoComplete="country" options={choices} {...register('country')} error={errors.country?.message} />
        <TextInput label="City" autoComplete="address-level2" {...register('city')} error={errors.city?.message} />
        <TextInput label="Street" autoComplete="address-line1" {...register('street')} error={errors.street?.message} />
        <TextInput label="House Number" autoComplete="off" {...register('houseNumber')} error={errors.houseNumber?.message} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={change.isPending} disabled={!isDirty}>
          Save Changes
        </Button>
        <Button look="secondary" onClick={() => reset(saved, discardEdits)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
