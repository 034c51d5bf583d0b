import { clsx } from 'clsx'
import { useFirm, useFirmName } from '@/firm.ts'

/** A logo that is this much wider than high holds the name already. */
const WIDE = 2

/**
 * The firm's logo and name, or the program's: a P whose stroke ends in a tick. `compact` leaves the mark alone where a
 * navigation needs the room.
 */
export function Brand({ compact = false }: { readonly compact?: boolean }) {
  const { logo } = useFirm()
  const name = useFirmName()
  if (logo && logo.width > WIDE * logo.height)
    return <img src={logo.path} alt={name} className="h-6 w-auto max-w-40 min-w-0 object-contain object-left" />
  return (
    <span className="inline-flex min-w-0 items-center gap-2 text-16 font-semibold tracking-tight">
      {logo ? (
        <img src={logo.path} alt="" className="size-6 shrink-0 object-contain" />
      ) : (
        <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden focusable="false" className="shrink-0">
          <rect width="24" height="24" rx="6" className="fill-accent" />
          <g fill="none" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" className="stroke-on-accent">
            <path d="M6.5 17V7.5a1 1 0 0 1 1-1h4.2a3.3 3.3 0 0 1 0 6.6H9.6" />
            <path d="m12.6 16.4 1.9 1.9 3.6-4.1" opacity="0.75" />
          </g>
        </svg>
      )}
      <span className={clsx('max-w-40 truncate', compact && 'md:max-lg:sr-only')} title={name}>
        {name}
      </span>
    </span>
  )
}
