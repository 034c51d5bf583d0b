import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { NoticeChanges } from '#services/oversight/notices/notice-api.ts'
import { noticeKindLabels, noticeKinds } from '#services/framework/notice-vocabulary.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { Checkbox } from '@/ui/field.tsx'
import { Loaded, FormError, LoadingLines } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { noticesQuery, useChangeNotices } from './notice-queries.ts'

/** Which decisions are mailed to the trader. */
export function MailChoicesCard() {
  const notices = useQuery(noticesQuery)
  return (
    <Card title="Mails" className="lg:col-span-2">
      <Loaded query={notices} failure="Your choice could not be loaded" loading={<LoadingLines lines={5} />}>
        {({ muted }) => <Choices muted={muted} />}
      </Loaded>
    </Card>
  )
}

type Muted = NonNullable<NoticeChanges['muted']>

function Choices({ muted }: { readonly muted: Muted }) {
  const change = useChangeNotices()
  const [draft, setDraft] = useState<Muted>()
  const chosen = draft ?? muted
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { muted: chosen },
      { onSuccess: () => (setDraft(undefined), toast('Mails updated', 'Your choice has been saved.')) },
    )
  }
  useUnsaved(() => draft !== undefined)
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-13 text-muted">You get a mail about:</p>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {noticeKinds.map((kind) => (
          <Checkbox
            key={kind}
            label={noticeKindLabels[kind]}
            checked={!chosen.includes(kind)}
            onChange={({ target }) =>
              setDraft(target.checked ? chosen.filter((one) => one !== kind) : [...chosen, kind])
            }
          />
        ))}
      </div>
      <p className="text-13 text-muted">
        Mails about your password, your sign-ins, your email address and bans are always sent.
      </p>
      <FormError error={change.error} />
      <Button type="submit" className="self-start" busy={change.isPending} disabled={draft === undefined}>
        Save Choice
      </Button>
    </form>
  )
}
