/** The id of the log's only stream of seals. */
export const SEALS_ID = 'this'

/** The name of the sealer's checkpoint: where the newest seal ends. */
export const SEALER_CHECKPOINT = 'sealer'

/** The log was set back to before something that was published. Sealing it again would hide that. */
export class LostSeals extends Error {
  override readonly name = 'LostSeals'
  /** @param what What is published: 'Seal 7'. */
  constructor(what: string) {
    super(
      `${what} is outside the log, but the log has lost it: it was restored from a backup, or tampered with. Sealing stops until this is resolved: npx proofdesk audit verify`,
    )
  }
}
