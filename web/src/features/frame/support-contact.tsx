import type { ReactNode } from 'react'
import { useFirm } from '@/firm.ts'
import { textLink } from '@/ui/link.tsx'

/** The firm's support address as a link; only the children where there is none. */
export function SupportContact({ children }: { readonly children?: ReactNode }) {
  const { supportEmail: address } = useFirm()
  return (
    <>
      {address && (
        <>
          Support:{' '}
          <a className={textLink} href={mailTo(address)}>
            {address}
          </a>
          .{' '}
        </>
      )}
      {children}
    </>
  )
}

/** The part before the @ may have characters that mean something else in a link. */
function mailTo(address: string): string {
  const at = address.lastIndexOf('@')
  return `mailto:${encodeURIComponent(address.slice(0, at))}${address.slice(at)}`
}
