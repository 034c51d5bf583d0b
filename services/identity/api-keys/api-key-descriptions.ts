import { change, type EventDescriptions, isoTime } from '#services/framework/event-description.ts'
import type { Subject } from '#services/framework/subject.ts'
import { keyScopeLabels } from './api-key-vocabulary.ts'
import type { ApiKeyEvent } from './api-key.ts'

const category = 'programKeys'

export const apiKeyDescriptions = {
  ProgramKeyIssued: {
    title: 'Key of a program made',
    category,
    changes: ({ data: { name, scopes, expiresAt } }) => [
      change('programKey.name', null, name),
      change('programKey.scopes', null, scopes.map((scope) => keyScopeLabels[scope]).join(', ')),
      change('programKey.expiresAt', null, isoTime(expiresAt)),
    ],
  },
  ProgramKeyRevoked: {
    title: 'Key of a program revoked',
    category,
    changes: () => [change('programKey.revoked', false, true)],
  },
} as const satisfies EventDescriptions<ApiKeyEvent>

/** The fields that these events name. */
export const apiKeyShown = {
  programKey: {
    fields: {
      name: { label: 'Program', kind: 'text', ofAction: true },
      scopes: { label: 'What it may do', kind: 'text', ofAction: true },
      expiresAt: { label: 'Expires', kind: 'time', ofAction: true },
      revoked: { label: 'Key', kind: 'choice', words: { true: 'Revoked', false: 'Valid' } },
    },
  },
} as const satisfies Subject['shown']
