/** The port that hands a mail over for delivery. */
export interface MailTransport {
  /**
   * Hands one mail over, durably. Repeated with the same id, it replaces the mail where that is still possible, and
   * uses the same Message-ID, so that a mailbox can recognize it.
   *
   * @throws {PermanentMailFailure} when a retry would not help; after any other error, retry later.
   */
  send(mail: Mail): Promise<void>

  /** Removes all mails to a person who is being erased. */
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
  /** The transport's own where it is left out. */
  readonly from?: MailAddress
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailAddress {
  readonly name: string
  readonly address: string
}
