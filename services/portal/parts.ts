import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { OperationsParts } from '#services/operations/parts.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { TradingParts } from '#services/trading/parts.ts'

/** The parts that the subjects of all contexts need. The composition root must satisfy them. */
export type PortalParts = IdentityParts &
  ProgrammesParts &
  TradingParts &
  PaymentsParts &
  OversightParts &
  OperationsParts

/** The composition root gives these parts to policies and erasure. */
export type PolicyParts = Omit<PortalParts['policies'], 'react'> & { readonly personKeys: PersonKeys }
