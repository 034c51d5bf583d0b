import type { Email } from 'postal-mime'

/** The token in a mail's link to take a change of email back. @throws {Error} when it has no such link. */
export function revertTokenOf(mail: Email): string {
  const [, token] = /\/revert-email\?token=([^\s"&<]+)/.exec(mail.text ?? '') ?? []
  if (token === undefined) throw new Error(`No link to take a change back in: ${mail.subject}`)
  return decodeURIComponent(token)
}

/** The token in a mail's link to set a password. @throws {Error} when it has no such link. */
export function tokenOf(mail: Email): string {
  const [, token] = /\/reset-password\?token=([^\s"&<]+)/.exec(mail.text ?? '') ?? []
  if (token === undefined) throw new Error(`No link to set a password in: ${mail.subject}`)
  return decodeURIComponent(token)
}
