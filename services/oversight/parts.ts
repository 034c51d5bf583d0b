import type { EventStore } from '#infra/event-store/event-store.ts'
import type { SealedHeads } from '#services/event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Parts } from '#services/framework/parts.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { CheckpointAttestations } from '#services/proof/checkpoint-attestations.ts'
import type { ProofWatch } from '#services/proof/proof-watch.ts'
import type { PublishedTree } from '#services/proof/published-tree.ts'
import type { SealedSize } from '#services/proof/sealed-size.ts'
import type { TransparencyLog } from '#services/proof/transparency-log.ts'

/** The subjects of oversight need these parts of the process. */
export interface OversightParts extends Parts {
  readonly queries: Parts['queries'] & {
    readonly eventStore: EventStore
    /** What was sealed of the streams. */
    readonly streamHeads: SealedHeads
    readonly personKeys: PersonKeys
    readonly secrets: Secrets
    readonly publishedTree: PublishedTree
    /** How much of the log was sealed, as the key store knows it. */
    readonly sealedSize: SealedSize
    readonly transparencyLog: TransparencyLog
    readonly attestations: CheckpointAttestations
    readonly proofWatch: ProofWatch
  }
}
