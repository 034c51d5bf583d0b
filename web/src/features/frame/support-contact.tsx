import type { ReactNode } from 'react'
import { textLink } from '@/ui/link.tsx'

/** The address that the operator has set (SUPPORT_EMAIL), as a link; only the children where there is none. */
export function SupportContact({ children }: { readonly children?: ReactNode }) {
  const address = document.querySelector('meta[name=support-email]')?.getAttribute('content')
  return (
    <>
      {address && (
        <>
          Support:{' '}
          <a className={textLink} href={`mailto:${address}`}>
            {address}
          </a>
          .{' '}
        </>
      )}
      {children}
    </>
  )
}
