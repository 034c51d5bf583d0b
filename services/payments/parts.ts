import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { StepUp } from '#services/identity/authentication/step-up.ts'
import type { Config } from '#services/process/config.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { Stages } from '#services/trading/accounts/server/stages.ts'

/** The subjects of payments need these parts of the process. */
export interface PaymentsParts extends Parts {
  readonly commands: Parts['commands'] & {
    readonly config: Pick<
      Config,
      | 'requireConfirmedEmail'
      | 'secondApprovalAbove'
      | 'secondConfirmation'
      | 'stepUpAbove'
      | 'payoutDecisionHours'
      | 'payoutSendingHours'
    >
    readonly reportForgedRow: ReportForgedRow
    readonly secrets: Secrets
    readonly stepUp: StepUp
  }
  readonly queries: Parts['queries'] & {
    readonly config: Pick<Config, 'secondApprovalAbove' | 'secondConfirmation'>
    readonly personKeys: PersonKeys
    readonly stages: Stages
  }
}
