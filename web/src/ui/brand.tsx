/**
 * Mark (a P whose stroke ends in a tick) and name; `compact` leaves the mark alone where a navigation needs the room.
 */
export function Brand({ compact = false }: { readonly compact?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2 text-16 font-semibold tracking-tight">
      <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden focusable="false">
        <rect width="24" height="24" rx="6" className="fill-accent" />
        <g fill="none" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" className="stroke-on-accent">
          <path d="M6.5 17V7.5a1 1 0 0 1 1-1h4.2a3.3 3.3 0 0 1 0 6.6H9.6" />
          <path d="m12.6 16.4 1.9 1.9 3.6-4.1" opacity="0.75" />
        </g>
      </svg>
      <span className={compact ? 'md:max-lg:sr-only' : undefined}>Proofdesk</span>
    </span>
  )
}
