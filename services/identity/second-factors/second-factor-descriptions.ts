import { change, type EventDescriptions, isoTime } from '#services/framework/event-description.ts'
import type { Subject } from '#services/framework/subject.ts'
import { removalQuestionLabels } from './removal-vocabulary.ts'
import type { SecondFactorEvent } from './second-factor.ts'

const changed = { category: 'secondFactors', mail: true } as const
const used = { category: 'secondFactors' } as const

export const secondFactorDescriptions = {
  PasskeyAdded: {
    title: 'Passkey added',
    ...changed,
    changes: ({ data }) => [change('factor.passkeyName', null, data.name)],
  },
  PasskeyRenamed: {
    title: 'Passkey renamed',
    ...used,
    changes: ({ data }) => [change('factor.passkeyName', data.from, data.to)],
  },
  PasskeyRemoved: {
    title: 'Passkey removed',
    ...changed,
    changes: ({ data }) => [change('factor.passkeyName', data.name, null)],
  },
  PasskeyUsed: { title: 'Confirmed with a passkey', ...used },
  AuthenticatorTurnedOn: { title: 'Authenticator app turned on', ...changed },
  AuthenticatorTurnedOff: { title: 'Authenticator app turned off', ...changed },
  AuthenticatorCodeUsed: { title: 'Confirmed with the authenticator app', ...used },
  RecoveryCodesIssued: { title: 'Recovery codes created', ...changed },
  RecoveryCodeUsed: {
    title: 'Recovery code used',
    ...used,
    mail: true,
    changes: ({ data }) => [change('factor.recoveryCodesLeft', data.left + 1, data.left)],
  },
  SecondFactorsRemoved: { title: 'Second factors removed', ...changed },
  FactorRemovalRequested: {
    title: 'Removal of second factors asked for',
    ...changed,
    urgent: true,
    changes: ({ data }) => [
      change('factor.question', null, data.question),
      change('factor.removedAt', null, isoTime(data.dueAt)),
    ],
  },
  FactorRemovalStopped: { title: 'Removal of second factors stopped', ...changed },
  SignedInFromNewBrowser: {
    title: 'Signed in from a new browser',
    category: 'sessions',
    mail: true,
    urgent: true,
    changes: ({ data }) => [
      change('signIn.browser', null, data.browser),
      change('signIn.networkAddress', null, data.address),
    ],
  },
} as const satisfies EventDescriptions<SecondFactorEvent>

/** The fields that these events name. */
export const secondFactorShown = {
  factor: {
    fields: {
      passkeyName: { label: 'Passkey', kind: 'text' },
      question: { label: 'Question that was answered', kind: 'choice', words: removalQuestionLabels, ofAction: true },
      removedAt: { label: 'To be removed', kind: 'time', ofAction: true },
      recoveryCodesLeft: { label: 'Codes left', kind: 'text' },
    },
  },
  signIn: {
    fields: {
      browser: { label: 'Browser', kind: 'text', ofAction: true },
      networkAddress: { label: 'Address', kind: 'text', ofAction: true },
    },
  },
} as const satisfies Subject['shown']
