import { createLink } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import type { ComponentProps } from 'react'
import { buttonClass, type ButtonLook } from './button.tsx'

/** Classes of a link in running text. */
export const textLink =
  'font-medium text-accent underline decoration-accent/40 underline-offset-4 hover:decoration-accent'

/** A link inside the app, in running text: `<TextLink to="/forgot-password">`. */
export const TextLink = createLink(({ className, ...rest }: ComponentProps<'a'>) => (
  <a {...rest} className={clsx(textLink, className)} />
))

interface ButtonLinkProps extends ComponentProps<'a'> {
  readonly look?: ButtonLook
}

/** A link inside the app that looks like a button. */
export const ButtonLink = createLink(({ look, className, ...rest }: ButtonLinkProps) => (
  <a {...rest} className={buttonClass(look, className)} />
))

/** A link to another site, in a new tab without access to this one. */
export function ExternalLink({ look, className, ...rest }: ButtonLinkProps) {
  return <a {...rest} target="_blank" rel="noopener noreferrer" className={buttonClass(look, className)} />
}

/** A link that looks like a button and downloads a file of this site. */
export function DownloadLink({ look = 'secondary', className, children, ...rest }: ButtonLinkProps) {
  return (
    <a {...rest} className={buttonClass(look, className)} download>
      <Download size={16} aria-hidden />
      {children}
    </a>
  )
}
