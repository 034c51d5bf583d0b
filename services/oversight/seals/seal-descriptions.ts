import type { EventDescriptions } from '#services/framework/event-description.ts'
import type { SealEvent } from '#services/proof/seal.ts'

export const sealDescriptions = {
  SealingKeyIntroduced: { title: 'Sealing key introduced', category: 'seals' },
  StreamHeadsCommitted: { title: 'Ends of streams committed', category: 'seals' },
  LogRestored: { title: 'Log restored from a backup', category: 'seals' },
  TreeCheckpointSigned: { title: 'Tree checkpoint signed', category: 'seals' },
} as const satisfies EventDescriptions<SealEvent>
