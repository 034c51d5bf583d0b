import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { programmesQuery, programmeVersionQuery } from '@/features/programmes/programmes/programme-queries.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select } from '@/ui/field.tsx'
import { Loaded, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { enrolmentRoutes } from '#services/trading/enrolments/enrolment-api.ts'
import { sendAndParse } from '@/api/api.ts'
import { staffChange, type UserName } from '@/features/frame/staff-change.ts'

/** Enrols a user in the newest published version of a programme. */
const enrolTrader = staffChange({
  send: ({ id, programme }: UserName & { readonly programme: string }) =>
    sendAndParse(enrolmentRoutes.enrolTrader, { params: { id }, body: { programme } }),
  done: ({ id, fullName }, { version }) => ['Trader enrolled', `${fullName}: version ${version} of the programme.`, id],
  failed: () => 'The trader was not enrolled',
})

const choice = z.object({ programme: z.string().min(1, 'Please choose a programme') })

interface EnrolFormProps {
  readonly user: Pick<UserDetails, 'id' | 'fullName' | 'email'>
  readonly onClose: () => void
}

/** Enrols a user: staff choose a programme and read what it means. */
export function EnrolForm({ user, onClose }: EnrolFormProps) {
  const enrol = useMutation(enrolTrader)
  const programmes = useQuery(programmesQuery)
  const { field, handleSubmit, showRefusal, watch } = useApiForm(choice, { programme: '' })
  const offered = (programmes.data ?? []).flatMap(({ id, name, versions }) => {
    const newest = versions.findLast(({ state }) => state === 'published')
    return newest ? [{ id, name, version: newest.version }] : []
  })
  const chosen = offered.find(({ id }) => id === watch('programme'))
  const onSubmit = handleSubmit(({ programme }) =>
    enrol.mutate({ id: user.id, fullName: user.fullName, programme }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Enrol"
      description={`${user.fullName} (${user.email}) gets an account in the first stage, and is asked to accept the terms.`}
      submit="Enrol Trader"
      change={enrol}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {programmes.isError && !programmes.data && (
        <ErrorState title="The programmes could not be loaded" error={programmes.error} onRetry={programmes.refetch} />
      )}
      <Select
        label="Programme"
        options={[
          { value: '', label: 'Please choose a programme' },
          ...offered.map(({ id, name, version }) => ({ value: id, label: `${name}, version ${version}` })),
        ]}
        {...field('programme')}
      />
      {chosen && <Terms key={chosen.id} {...chosen} />}
    </FormDialog>
  )
}

function Terms({ id, version }: { readonly id: string; readonly version: number }) {
  const found = useQuery(programmeVersionQuery(id, version))
  const loading = <LoadingLines lines={8} label="Loading the terms" />
  return (
    <Loaded query={found} failure="The terms could not be loaded" loading={loading}>
      {({ words }) => <TermsInWordsView words={words} />}
    </Loaded>
  )
}
