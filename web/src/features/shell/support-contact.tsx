import type { ReactNode } from 'react'

/** The address that the operator has set (SUPPORT_EMAIL), as a link; only the children where there is none. */
export function SupportContact({ children }: { readonly children?: ReactNode }) {
  const address = document.querySelector('meta[name=support-email]')?.getAttribute('content')
  return (
    <>
      {address && (
        <>
          Support:{' '}
          <a className="font-medium text-accent underline decoration-accent/40 underline-offset-4 hover:decoration-accent" href={`mailto:${address}`}>
            {address}
          </a>
          .{' '}
        </>
      )}
      {children}
    </>
  )
}
