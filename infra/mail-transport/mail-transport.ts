/** The port that hands a mail over for delivery. */
export interface MailTransport {
  /**
   * Hands one mail over, durably. The same id again replaces what was handed over, where that is still possible, and has
   * the same Message-ID, so that a mailbox can tell.
   *
   * @throws {PermanentMailFailure} when trying again would not help; any other error means: try again later.
   */
  send(mail: Mail): Promise<void>

  /** Removes what is still here of mails to a person who is to be erased. */
  forget(recipientId: string): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface Mail {
  /** The job's id. */
  readonly id: string
  /** The user's id, so that an erased person's mails can be found. */
  readonly recipientId: string
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailAddress {
  readonly name: string
  readonly address: string
}
