import type { EventStore } from '#infra/event-store/event-store.ts'
import type { MailTransport } from '#infra/mail-transport/mail-transport.ts'
import type { Outbox } from '#infra/outbox/outbox.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import type { DailyCount } from '#services/framework/http/daily-count.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { CurrentFirm } from '#services/identity/firm/server/current-firm.ts'
import type { SetupConfig } from './setup/server/setup-facts.ts'
import type { Config } from '#services/process/config.ts'
import type { ProofWatch } from '#services/proof/proof-watch.ts'
import type { DamagedFiles } from '#services/trading/certificates/server/damaged-files.ts'
import type { System, SystemPart } from './installation/installation-api.ts'

/** The subjects of operations need these parts of the process. */
export interface OperationsParts extends Parts {
  readonly commands: Parts['commands'] & {
    readonly config: Pick<Config, 'smtpUrl' | 'dataDir'>
    readonly firm: CurrentFirm
    readonly mailTransport: MailTransport
    /** A dead letter of a subscription. */
    readonly findDeadLetter: (
      id: string,
    ) => Promise<{ readonly reader: string; readonly stream: string; readonly revision: number } | undefined>
  }
  readonly queries: Parts['queries'] & {
    readonly config: SetupConfig & Pick<Config, 'sealSeconds'>
    readonly firm: CurrentFirm
    readonly eventStore: EventStore
    readonly readModelStore: ReadModelStore
    readonly outbox: Outbox
    readonly proofWatch: ProofWatch
    readonly damagedFiles: DamagedFiles
    /** The projections of all subjects. */
    readonly projections: readonly Projection[]
    /** The name of the subscription of the policies. */
    readonly policies: string
    /** The errors of this process. */
    readonly serverErrors: Pick<DailyCount, 'today'>
    /** Whether each store and transport is available. */
    readonly componentStates: () => Promise<SystemPart[]>
    /** The version, the disk, and the last backup and verification. */
    readonly installationState: () => Promise<System['installation']>
  }
  readonly policies: Parts['policies'] & { readonly mails: MailTransport }
}
