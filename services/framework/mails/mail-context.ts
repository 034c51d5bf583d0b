import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { MailContent } from './mail-layout.ts'

/** The data of a mail, besides its event. Times are ms since 1970. */
export interface MailContext {
  /** The address of a page. */
  readonly page: (path: string) => string
  /** Where the user confirms the present address. */
  readonly confirmEmailLink: string
  /** Whom people ask for help, where the operator says so. */
  readonly supportEmail: string | undefined
  readonly now: number
}

/** A mail, and its address and the name there if these are not the user's. */
export type Addressed<Mail> = Mail & { readonly address?: string; readonly name?: string }

/** One mail, several, or none because it has become pointless. */
export type WrittenMail = Addressed<MailContent> | readonly Addressed<MailContent>[] | undefined

/** Where a new password is asked for. */
export function newPasswordPage({ page }: MailContext): string {
  return page('/forgot-password')
}

/** The entry of an account's event in the trader's history, of this account. */
export function entryPath(event: Pick<RecordedEvent, 'position' | 'stream'>): string {
  return `/history?at=${eventNumber(event)}&account=${accountIn(event)}`
}

/** A page of the trader, about the account of an event. */
export function accountPath(path: '/payouts' | '/certificates', event: Pick<RecordedEvent, 'stream'>): string {
  return `${path}?account=${accountIn(event)}`
}

/** The account of an event of its stream. */
export function accountIn({ stream }: Pick<RecordedEvent, 'stream'>): string {
  return parseStreamName(stream).id
}
