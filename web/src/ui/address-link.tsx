import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'

interface AddressLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Of this app: '/history?at=1042'. */
  readonly href: string
}

/**
 * A link to an address of this app that is at hand as a text. It takes no time to make, however many stand on a page:
 * the router's own works its address out by way of all routes.
 */
export function AddressLink({ href, onClick, ...rest }: AddressLinkProps) {
  const router = useRouter({ warn: false })
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // What opens another tab or window is the browser's.
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.history.push(href)
  }
  return <a {...rest} href={href} onClick={follow} />
}
