import { type SubmitEvent, useState } from 'react'
import type { AuditMoments } from '#services/oversight/audit/audit-api.ts'
import { formatDate } from '@/format/dates.ts'
import { Button } from '@/ui/button.tsx'
import { TextInput } from '@/ui/field.tsx'
import { endOfMoment } from './moment-text.ts'
import { lastIndexUpTo, momentAt } from './moments.ts'

interface MomentFieldProps {
  readonly label: string
  /** What its button does: 'Go to: Moment'. */
  readonly action: string
  readonly moments: AuditMoments
  readonly onMove: (index: number) => Promise<void>
}

/** Leads to the account at a time, or after an entry, with one Enter. */
export function MomentField({ label, action, moments, onMove }: MomentFieldProps) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const go = (event: SubmitEvent) => {
    event.preventDefault()
    const found = find(text, moments)
    setError(typeof found === 'string' ? found : undefined)
    if (typeof found === 'number') void onMove(found)
  }
  return (
    <form noValidate onSubmit={go} className="flex items-start gap-2 print:hidden">
      <TextInput
        label={label}
        className="flex-1 md:w-44"
        placeholder="3 Nov 12:00"
        autoComplete="off"
        spellCheck={false}
        error={error}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" look="secondary" className="mt-6" aria-label={action}>
        Go
      </Button>
    </form>
  )
}

/** The index of the moment, or what is wrong with the text. */
function find(text: string, moments: AuditMoments): number | string {
  const [, number] = /^\s*#?(\d+)\s*$/.exec(text) ?? []
  if (number !== undefined) {
    const index = moments.numbers.indexOf(Number(number))
    return index < 0 ? `This account has no entry #${number}.` : index
  }
  const time = endOfMoment(text, new Date())
  if (!time) return 'Write a time such as 3 Nov 12:00, or an entry such as #1042.'
  const index = lastIndexUpTo(moments.times, time.getTime())
  const first = momentAt(moments, 0)
  return index < 0 && first ? `This history begins ${formatDate(new Date(first.at), 'exact')}.` : index
}
