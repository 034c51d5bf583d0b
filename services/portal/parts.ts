import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { OperationsParts } from '#services/operations/parts.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { TradingParts } from '#services/trading/parts.ts'

/** What the subjects of all contexts need. What the composition root makes must satisfy it. */
export type PortalParts = IdentityParts &
  ProgrammesParts &
  TradingParts &
  PaymentsParts &
  OversightParts &
  OperationsParts

/** What the composition root gives to policies and erasure. */
export type PolicyParts = Omit<PortalParts['policies'], 'react'> & { readonly personKeys: PersonKeys }
