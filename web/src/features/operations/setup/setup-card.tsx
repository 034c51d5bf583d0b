import { useMutation, useQuery } from '@tanstack/react-query'
import { Check, Circle } from 'lucide-react'
import type { SetupStep } from '#services/operations/setup/setup-api.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { dismissSetup, setupQuery } from './setup-queries.ts'
import { TestMailButton } from './test-mail.tsx'

/** What the firm still has to set up, until all is done or somebody has dismissed it. */
export function SetupCard() {
  const { data } = useQuery(setupQuery)
  const dismiss = useMutation(dismissSetup)
  if (!data || data.dismissed || data.steps.every(({ done }) => done)) return null
  const left = data.steps.filter(({ done }) => !done).length
  return (
    <Card
      title="First week"
      className="mb-6"
      action={
        <Button look="quiet" busy={dismiss.isPending} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      }
    >
      <p className="mb-3 text-13 text-muted">
        {left} of {data.steps.length} to do before traders come.
      </p>
      <ul className="divide-y divide-line">
        {data.steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ul>
    </Card>
  )
}

function Step({ step: { id, title, done, says, page } }: { readonly step: SetupStep }) {
  const Mark = done ? Check : Circle
  return (
    <li className="flex gap-3 py-2">
      <Mark size={16} aria-hidden className={done ? 'mt-0.5 shrink-0 text-good' : 'mt-0.5 shrink-0 text-muted'} />
      <div className="min-w-0">
        <AddressLink look="accent" href={page}>
          {title}
        </AddressLink>
        <span className="ml-2 text-12 text-muted">{done ? 'Done' : 'To do'}</span>
        <p className="text-13 break-words text-muted">{says}</p>
        {id === 'mail' && !done && <TestMailButton />}
      </div>
    </li>
  )
}
