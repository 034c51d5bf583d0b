import type { Request } from 'express'
import type { EventStore } from '#infra/event-store/event-store.ts'
import type { SessionStore } from '#infra/session-store/session-store.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { Config } from '#services/process/config.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { CurrentFirm } from './firm/server/current-firm.ts'
import type { AccessControl } from './sign-in/server/access-control.ts'
import type { Confirmations } from './authentication/confirmations.ts'
import type { RelyingParty } from './authentication/relying-party.ts'
import type { PasswordHashing } from './authentication/password-hash.ts'
import type { PendingSignIns } from './authentication/pending-sign-ins.ts'
import type { Sessions } from './authentication/sessions.ts'
import type { SignedTokens } from './authentication/signed-tokens.ts'
import type { OwnsSecondFactor, StepUp } from './authentication/step-up.ts'
import type { EmailAddresses } from './users/server/email-addresses.ts'

/** The subjects of identity need these parts of the process. */
export interface IdentityParts extends Parts {
  readonly commands: Parts['commands'] & SignInParts & CredentialParts
  readonly queries: Parts['queries'] &
    SignInParts & { readonly accessControl: AccessControl; readonly personKeys: PersonKeys }
  readonly policies: Parts['policies'] & {
    readonly addresses: EmailAddresses
    readonly sessions: SessionStore
  }
}

interface SignInParts {
  readonly config: Pick<
    Config,
    'requireStaffSecondFactor' | 'firmName' | 'supportEmail' | 'mailFrom' | 'smtpUrl' | 'dataDir'
  >
  readonly firm: CurrentFirm
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly pendingSignIns: PendingSignIns
  readonly signedTokens: SignedTokens
  readonly relyingParty: RelyingParty
  readonly secureCookies: boolean
}

interface CredentialParts {
  readonly eventStore: EventStore
  readonly addresses: EmailAddresses
  readonly confirmations: Confirmations
  readonly stepUp: StepUp
  readonly ownsSecondFactor: OwnsSecondFactor
  readonly passwords: PasswordHashing
  /**
   * Checks and hashes passwords, with so much under way at once for the request's network.
   *
   * @throws {HttpError} 429 beyond it.
   */
  readonly passwordWork: <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>
  /** Called when an access key is refused. */
  readonly onAccessKeyRefused: () => void
}
