import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight, History } from 'lucide-react'
import { type KeyboardEvent, type SubmitEvent, useState } from 'react'
import type { AuditMoments } from '#services/oversight/audit/audit-api.ts'
import { eventNumber, formatCount } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { useDraft } from '@/lists/address.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { IconButton, Button } from '@/ui/button.tsx'
import { TextInput } from '@/ui/field.tsx'
import { endOfMoment } from './moment-text.ts'
import { momentAt, indexAfterKey, type Moment, lastIndexUpTo } from './moments.ts'

/** Long enough that a drag over a thousand events requests a few of them, short enough not to be felt. */
const PAUSE = 120

interface ScrubberProps {
  /** Its name: 'Moment'. */
  readonly label: string
  /** The name of the field for a time: 'Go to'. */
  readonly fieldLabel: string
  readonly moments: AuditMoments
  /** The index in the address; the last one is now. */
  readonly index: number
  /** Puts it into the address, once a pause. */
  readonly onMove: (index: number) => Promise<void>
}

/**
 * Moves an account through its events: by drag, event by event with the arrow keys, in larger steps with Page Up and
 * Down, Home and End. The handle moves at once; the address, and with it the rest of the page, follows at the next
 * pause.
 */
export function Scrubber({ label, fieldLabel, moments, index, onMove }: ScrubberProps) {
  const { draft, change: move, writeNow } = useDraft(PAUSE, onMove)
  const count = moments.numbers.length
  const last = Math.max(count - 1, 0)
  const shown = Math.min(draft ?? index, last)

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = indexAfterKey(event.key, shown, count)
    if (target === undefined) return
    // Browsers differ in how far a page is.
    event.preventDefault()
    if (target !== shown) move(target)
  }
  const moment = momentAt(moments, shown)
  const [first, newest] = [momentAt(moments, 0), momentAt(moments, last)]
  const time = moment && formatDate(new Date(moment.at), 'exact')
  return (
    <div className="flex flex-col gap-3 md:flex-row md:gap-6">
      <div className="min-w-0 flex-1 md:pt-5">
        <div className="flex items-center gap-2 print:hidden">
          <IconButton label={`${label}: one entry earlier`} disabled={shown === 0} onClick={() => move(shown - 1)}>
            <ChevronLeft size={16} aria-hidden />
          </IconButton>
          <input
            type="range"
            aria-label={label}
            aria-valuetext={
              moment
                ? `Entry #${moment.number}, ${time}, ${formatCount(shown + 1)} of ${formatCount(count)}`
                : 'No entries'
            }
            min={0}
            max={last}
            step={1}
            value={shown}
            onChange={(event) => move(Number(event.target.value))}
            onKeyDown={onKeyDown}
            className="scrubber min-w-0 flex-1"
            // The part of the track behind the thumb; styles.css paints it.
            style={{ backgroundSize: `${last === 0 ? 100 : (shown / last) * 100}% 4px, 100% 4px` }}
          />
          <IconButton label={`${label}: one entry later`} disabled={shown === last} onClick={() => move(shown + 1)}>
            <ChevronRight size={16} aria-hidden />
          </IconButton>
        </div>
        <p className="mt-1 flex flex-wrap items-baseline justify-between gap-x-4 px-11 text-12 text-muted max-sm:px-1">
          <span className="max-sm:hidden">{first && formatDate(new Date(first.at), 'date')}</span>
          <span className="text-ink">
            {moment ? (
              <>
                <span className="font-mono">{eventNumber(moment.number)}</span> · {time} · {formatCount(shown + 1)} of{' '}
                {formatCount(count)} entries
              </>
            ) : (
              'No entries'
            )}
          </span>
          <span className="max-sm:hidden">{newest && formatDate(new Date(newest.at), 'date')}</span>
        </p>
      </div>
      <MomentField label={fieldLabel} action={`Go to: ${label}`} moments={moments} onMove={writeNow} />
    </div>
  )
}

interface MomentBandProps {
  readonly moment: Moment
  /** Nothing happened after it. */
  readonly isNow: boolean
  /** Where the account is shown as it is now. */
  readonly backHref: string
  /** The link disappears: the focus needs another place. */
  readonly onBack: () => void
}

/** Says whether the page shows the past. It is as high in both cases, so that nothing moves when it changes. */
export function MomentBand({ moment, isNow, backHref, onBack }: MomentBandProps) {
  const time = formatDate(new Date(moment.at), 'stamp')
  return (
    <div
      className={clsx(
        'flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-md border px-3 py-2 text-14',
        isNow ? 'border-line bg-sunken text-muted' : 'border-accent bg-accent-soft text-ink',
      )}
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <History size={16} aria-hidden className={clsx('shrink-0', !isNow && 'text-accent')} />
        <span>
          {isNow ? 'This is the account now, after entry' : 'This is the account after entry'} #{moment.number}, {time}.
        </span>
      </p>
      {/* On a phone it has a line of its own in both cases. */}
      <span className="max-sm:basis-full">
        {isNow && <span className="sm:hidden">Move the slider to see the past.</span>}
        <AddressLink
          href={backHref}
          onClick={onBack}
          look="accent"
          className={clsx(isNow && 'invisible max-sm:hidden')}
        >
          Back to now
        </AddressLink>
      </span>
    </div>
  )
}

interface MomentFieldProps {
  readonly label: string
  /** The action of its button: 'Go to: Moment'. */
  readonly action: string
  readonly moments: AuditMoments
  readonly onMove: (index: number) => Promise<void>
}

/** Leads to the account at a time, or after an entry, with one Enter. */
function MomentField({ label, action, moments, onMove }: MomentFieldProps) {
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
