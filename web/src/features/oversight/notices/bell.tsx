import { useQuery } from '@tanstack/react-query'
import { Bell as BellIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lazyPart } from '@/lazy-page.ts'
import { IconButton } from '@/ui/button.tsx'
import { noticesQuery } from './notice-queries.ts'

const NoticesDialog = lazyPart(() => import('./notices-dialog.tsx').then(({ NoticesDialog }) => NoticesDialog))

/** Says how many entries of others are new since the trader last looked, on any device, and lists them. */
export function Bell() {
  const [isIdle, setIsIdle] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  // Everything that the page itself needs is read first.
  useEffect(() => whenIdle(() => setIsIdle(true)), [])
  const { data } = useQuery({ ...noticesQuery, enabled: isIdle })
  const fresh = data?.entries.filter(({ number }) => number > data.seenUpTo).length ?? 0
  return (
    <>
      <span className="relative">
        <IconButton
          label={fresh > 0 ? `Notices, ${fresh} new` : 'Notices'}
          title="Notices"
          aria-haspopup="dialog"
          onClick={() => setIsOpen(true)}
        >
          <BellIcon size={16} aria-hidden />
        </IconButton>
        {fresh > 0 && (
          <span
            aria-hidden
            className="pointer-events-none absolute -top-0.5 right-0 min-w-4 rounded-full bg-accent px-1 text-center text-12 leading-4 font-medium text-on-accent"
          >
            {fresh}
          </span>
        )}
      </span>
      {isOpen && <NoticesDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function whenIdle(work: () => void): () => void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 200)
    return () => clearTimeout(timer)
  }
  const id = requestIdleCallback(work, { timeout: 2_000 })
  return () => cancelIdleCallback(id)
}
