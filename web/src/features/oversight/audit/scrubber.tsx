import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import type { AuditMoments } from '#services/oversight/audit/audit-api.ts'
import { eventNumber, formatCount } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { IconButton } from '@/ui/button.tsx'
import { useDraft } from '@/lists/address.ts'
import { MomentField } from './moment-field.tsx'
import { momentAt, indexAfterKey } from './moments.ts'

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
