import type { EventStore } from '#infra/event-store/event-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { StepUp } from '#services/identity/authentication/step-up.ts'
import type { EmailAddresses } from '#services/identity/users/server/email-addresses.ts'
import type { CurrentFirm } from '#services/identity/firm/server/current-firm.ts'
import type { Config } from '#services/process/config.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { TransparencyLog } from '#services/proof/transparency-log.ts'
import type { PlatformLogins } from './accounts/server/platform-logins.ts'
import type { Stages } from './accounts/server/stages.ts'
import type { DamagedFiles } from './certificates/server/damaged-files.ts'

/** The subjects of trading need these parts of the process. */
export interface TradingParts extends Parts {
  readonly commands: Parts['commands'] &
    SharedParts & {
      readonly addresses: EmailAddresses
      readonly logins: PlatformLogins
      readonly stepUp: StepUp
      readonly personKeys: Pick<PersonKeys, 'require'>
    }
  readonly queries: Parts['queries'] &
    SharedParts & {
      readonly eventStore: EventStore
      readonly personKeys: PersonKeys
      readonly stages: Stages
      readonly transparencyLog: TransparencyLog
      readonly damagedFiles: DamagedFiles
    }
  readonly policies: Parts['policies'] & {
    readonly files: FileStore
    readonly logins: PlatformLogins
    readonly personKeys: Pick<PersonKeys, 'destroy'>
  }
}

interface SharedParts {
  readonly config: Pick<Config, 'publicUrl' | 'secondConfirmation' | 'secondApprovalAbove' | 'caseHours' | 'appealDays'>
  readonly firm: CurrentFirm
  readonly fileStore: FileStore
  readonly secrets: Secrets
  readonly reportForgedRow: ReportForgedRow
}

/** The worker gives these parts to the work that is due at a time. */
export type TimeParts = Pick<TradingParts['commands'], 'repositories' | 'log' | 'now'> & {
  readonly readModels: Pick<TradingParts['queries']['readModels'], 'find'>
}
