import { useRouter } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ComponentProps, MouseEvent } from 'react'

interface AddressLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** An address in this app: '/history?at=1042'. */
  readonly href: string
  /** The action of a plain click, instead of navigation. */
  readonly onFollow?: () => void
  /** Without one, it has the classes of the caller only. */
  readonly look?: keyof typeof looks
}

const looks = {
  /** In running text of small print. */
  quiet: 'rounded-sm text-ink underline decoration-edge/60 underline-offset-4 hover:decoration-ink',
  accent:
    'rounded-sm font-medium text-accent underline decoration-accent/40 underline-offset-4 hover:decoration-accent',
  /** A person's name in a table. */
  name: 'rounded-sm font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline',
} as const

/**
 * A link to a text address in this app. Cheaper to render than the router's link, which resolves its address among all
 * routes: tables contain many.
 */
export function AddressLink({ href, onFollow, onClick, look, className, ...rest }: AddressLinkProps) {
  const router = useRouter({ warn: false })
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // The browser handles clicks that open another tab or window.
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    event.preventDefault()
    if (onFollow) onFollow()
    else router.history.push(href)
  }
  return <a {...rest} href={href} onClick={follow} className={clsx(look && looks[look], className)} />
}
