import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ProgrammeVersionAnswer } from '#services/programmes/programmes/programme-api.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatMoney } from '@/format/money.ts'
import { programmesQuery, programmeVersionQuery } from '@/features/programmes/programmes/programme-queries.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { Select } from '@/ui/field.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { accountName } from '@/format/account-name.ts'
import type { UserFormProps } from './staff-account-form.tsx'
import { accountChanges, payoutTermsOfAccount } from './staff-account-queries.ts'

/** Sets the payout terms of an account: the funded stage of a published programme, or none. */
export function TermsForm({ user, onClose }: UserFormProps) {
  const { id, fullName, email, tradingAccount: account } = user
  const [chosen, setChosen] = useState('')
  const programmes = useQuery(programmesQuery)
  const published = (programmes.data ?? []).flatMap(({ id: programme, name, versions }) => {
    const newest = versions.findLast(({ state }) => state === 'published')
    return newest ? [{ value: programme, label: `${name}, version ${newest.version}`, version: newest.version }] : []
  })
  const option = published.find(({ value }) => value === chosen)
  const version = useQuery({ ...programmeVersionQuery(chosen, option?.version ?? 0), enabled: option !== undefined })
  const funded = option && version.data ? fundedPart(version.data) : null
  const present = useQuery({ ...payoutTermsOfAccount(account?.id ?? ''), enabled: account !== null })
  const change = useMutation(accountChanges.terms)
  const failed = programmes.isError ? programmes : version.isError ? version : undefined
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (account)
      change.mutate(
        { id, fullName, account: account.id, changes: { terms: funded && funded.terms } },
        { onSuccess: onClose },
      )
  }
  return (
    <FormDialog
      title="Payout Terms"
      description={`${account ? accountName(account) : 'The account'} of ${fullName} (${email})`}
      submit={option ? 'Set Terms' : 'Take Terms Away'}
      dangerous={!option}
      change={change}
      disabled={!account?.open || (option ? !funded : !present.data?.payout)}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {present.data && (
        <p>
          {present.data.payout
            ? `The account has the terms “${present.data.payout.terms.name}”.`
            : 'The account has no terms.'}
        </p>
      )}
      <Select
        label="Programme"
        placeholder="None: staff decide any amount"
        hint="Its funded stage. Programmes are published at Programmes."
        options={published}
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
      />
      {account && option && (
        <p className="text-13">
          They begin now with the balance of {formatMoney(account.balance)}. Terms that were set before end, also if
          they are the same.
        </p>
      )}
      {failed ? (
        <ErrorState title="The programmes could not be loaded" error={failed.error} onRetry={failed.refetch} />
      ) : (
        option &&
        (version.data ? (
          funded ? (
            <section aria-label="Terms in words">
              <TermsInWordsView words={funded.words} />
            </section>
          ) : (
            <p>This programme has no funded stage.</p>
          )
        ) : (
          <LoadingLines lines={6} />
        ))
      )}
    </FormDialog>
  )
}

/** The funded stage of a programme, as the terms of an account and in words; null without one. */
function fundedPart({ terms, words }: Pick<ProgrammeVersionAnswer, 'terms' | 'words'>) {
  const funded = terms.stages.find((stage) => stage.funded)
  if (!funded) return null
  const inWords = words.stages.filter((_, index) => terms.stages[index] === funded)
  return { terms: { ...terms, stages: [funded] }, words: { ...words, stages: inWords } }
}
