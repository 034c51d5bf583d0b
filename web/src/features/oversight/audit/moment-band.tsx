import { clsx } from 'clsx'
import { History } from 'lucide-react'
import { formatDate } from '@/format/dates.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import type { Moment } from './moments.ts'

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
