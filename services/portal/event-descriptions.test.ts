import { describe, expect, it } from 'vitest'
import { eventGroups } from '#services/framework/event-description.ts'
import { toPosition } from '#infra/event-store/event-store.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { decisions } from '#services/trading/accounts/decision-read-model.ts'
import { readRecordedSamples } from '#test-support/recorded-event-samples.ts'
import { ada, sampleKey } from '#test-support/sample-events.ts'
import {
  definitions,
  describeEvent,
  eventCategories,
  eventDescriptions,
  eventFilterOptions,
  eventRegistry,
  eventTitles,
  shownField,
  urgentMails,
} from '#services/oversight/event-catalogue.ts'

describe('the descriptions of events', () => {
  it('describe every event with a title of its own', () => {
    expect(Object.keys(eventDescriptions).toSorted()).toEqual(Object.keys(definitions).toSorted())
    expect(new Set(eventTitles.values()).size).toBe(eventTitles.size)
  })

  it('put every event into exactly one filter of the audit, and none into an empty one', () => {
    const types = eventFilterOptions.flatMap(({ value }) => value.split(','))
    expect(types.toSorted()).toEqual(Object.keys(definitions).toSorted())
    expect(eventFilterOptions).toHaveLength(Object.keys(eventCategories).length)
    // Each stands under one of few headings, none of which is a long list.
    const sizes = Object.values(eventGroups).map(
      (heading) => eventFilterOptions.filter(({ group }) => group === heading).length,
    )
    expect(Math.min(...sizes)).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(10)
  })

  it('mark events on curves and show them in the bell where the decisions of a trader have them', () => {
    const shown = Object.entries<object>(eventDescriptions).filter(([, each]) => 'marker' in each || 'notice' in each)
    expect([...decisions.eventTypes].toSorted()).toEqual(shown.map(([type]) => type).toSorted())
  })

  it('let a mail whose link somebody waits for leave before others', () => {
    const withToken = Object.entries(definitions).flatMap(([type, { personal }]) =>
      personal.has('token') ? [type] : [],
    )
    expect(withToken.length).toBeGreaterThan(2)
    // These make the token of their link only when the mail is written, or are news of a sign-in.
    const others = ['UserRegistered', 'EmailConfirmationRequested', 'SignedInFromNewBrowser', 'FactorRemovalRequested']
    expect([...urgentMails].toSorted()).toEqual([...withToken, ...others].toSorted())
  })

  it.each(readRecordedSamples())('name only fields that a subject declares: $type', ({ type, metadata, ...sample }) => {
    const stored = {
      ...sample,
      type,
      metadata,
      stream: streamName(userStreams, ada),
      revision: 0,
      position: toPosition('1'),
    }
    const event = decodeEvent(eventRegistry, stored, sampleKey)
    const paths = (describeEvent(event.type).changes?.(event) ?? []).flatMap(({ field, to }) =>
      typeof to === 'object' && to !== null ? Object.keys(to).map((name) => `${field}.${name}`) : [field],
    )
    expect(paths.filter((path) => !path.endsWith('.id') && !shownField(path))).toEqual([])
  })

  it('send mail about these events', () => {
    const mailed = Object.entries(eventDescriptions).flatMap(([type, description]) =>
      'mail' in description ? [type] : [],
    )
    expect(mailed).toEqual(
      expect.arrayContaining([
        'AccountStatusChanged',
        'AuthenticatorTurnedOff',
        'AuthenticatorTurnedOn',
        'CertificateIssued',
        'CertificateRevoked',
        'EmailRevertOffered',
        'PasskeyAdded',
        'PasskeyRemoved',
        'PasswordChanged',
        'PasswordReset',
        'PasswordResetRequested',
        'PayoutApproved',
        'PayoutRejected',
        'PayoutsEnabled',
        'PhaseChanged',
        'RecoveryCodeUsed',
        'RecoveryCodesIssued',
        'RiskLimitsChanged',
        'SecondFactorsRemoved',
        'SignedInFromNewBrowser',
        'UserBanned',
        'UserCreated',
        'UserUnbanned',
      ]),
    )
  })
})
