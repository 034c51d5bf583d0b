import { accountStateDecider, type AccountStreamEvent, endAccount } from './account-aggregate.ts'
import { describe, expect, it } from 'vitest'
import {
  type CertificateEvent,
  type CertificateIssue,
  endSharing,
  issueCertificate,
  nextCertificateId,
  revokeCertificate,
  shareCertificate,
} from './certificate.ts'
import { accountIdOf, certificateId, userId } from '#services/framework/ids.ts'
import { accountClosed, FIRST_EVENT_AT, givenEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const closed = accountClosed('active')
const issue = (number: number): CertificateIssue => ({
  certificateId: certificateId.parse(`${owner}-c${number}`),
  name: 'Phase 1 passed',
  issuedAt: '2026-01-05',
  file: `file-${number}.pdf`,
  size: 1024,
  sha256: 'ab'.repeat(32),
})
const issued = (number: number): CertificateEvent => ({ type: 'CertificateIssued', data: issue(number) })

describe('issuing a certificate', () => {
  it('records the certificate with its file', () =>
    given(opened)
      .when((state) => issueCertificate(state, issue(1)))
      .then([issued(1)]))

  it('is refused when it was issued already', () =>
    given(opened, issued(1))
      .when((state) => issueCertificate(state, issue(1)))
      .thenRefused('conflict', 'This certificate was already issued'))

  it('is refused without an account and once it is closed', () => {
    given()
      .when((state) => issueCertificate(state, issue(1)))
      .thenRefused('not-found', 'Account not found')
    given(opened, closed)
      .when((state) => issueCertificate(state, issue(1)))
      .thenRefused('not-found', 'Account not found')
  })

  it('gives each certificate of an account the next number', () => {
    expect(nextCertificateId(given(opened).state)).toBe('trader01-a1-c1')
    expect(nextCertificateId(given(opened, issued(1), issued(2)).state)).toBe('trader01-a1-c3')
  })

  it('never gives a number twice, also after one was left out', () => {
    expect(nextCertificateId(given(opened, issued(1), issued(4)).state)).toBe('trader01-a1-c5')
  })

  it('keeps the certificates in the order of their numbers', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
    const { state } = given(opened, ...numbers.map(issued))
    expect([...state.certificates.values()].map(({ file }) => file)).toEqual(
      numbers.map((number) => `file-${number}.pdf`),
    )
  })

  it('remembers where the file is', () => {
    expect(given(opened, issued(1)).state.certificates.get(issue(1).certificateId)).toEqual({
      id: 'trader01-a1-c1',
      name: 'Phase 1 passed',
      issuedAt: '2026-01-05',
      uploadedAt: FIRST_EVENT_AT + 1000,
      file: 'file-1.pdf',
      size: 1024,
      sha256: 'ab'.repeat(32),
      revision: 1,
      revokedAt: null,
      share: null,
    })
  })
})

const id = issue(1).certificateId
const link = { code: 'a'.repeat(22), codeHash: 'c0de' }
const other = { code: 'b'.repeat(22), codeHash: 'c0d3' }
const shared = (showsName: boolean, from: boolean | null = null, given = link): CertificateEvent => ({
  type: 'CertificateShared',
  data: { certificateId: id, ...given, showsName, from },
})
const ended: CertificateEvent = { type: 'CertificateSharingEnded', data: { certificateId: id, from: true } }
const revoked = (reason: string | null): CertificateEvent => ({
  type: 'CertificateRevoked',
  data: { certificateId: id, reason },
})

describe('sharing a certificate', () => {
  it('makes a link, and the same again is no event', () => {
    given(opened, issued(1))
      .when((state) => shareCertificate(state, id, false, link))
      .then([shared(false)])
    given(opened, issued(1), shared(false))
      .when((state) => shareCertificate(state, id, false, other))
      .then([])
  })

  it('keeps the link when only the choice about the name changes', () =>
    given(opened, issued(1), shared(false))
      .when((state) => shareCertificate(state, id, true, other))
      .then([shared(true, false)]))

  it('makes another link after it ended', () =>
    given(opened, issued(1), shared(true), ended)
      .when((state) => shareCertificate(state, id, true, other))
      .then([shared(true, null, other)]))

  it('ends once', () => {
    given(opened, issued(1), shared(true))
      .when((state) => endSharing(state, id))
      .then([ended])
    given(opened, issued(1), shared(true), ended)
      .when((state) => endSharing(state, id))
      .then([])
  })

  it('ends when the account closes', () =>
    given(opened, issued(1), issued(2), shared(true))
      .when(endAccount)
      .then([ended, accountClosed('pending')]))

  it('is refused for a certificate that does not exist, or was revoked', () => {
    for (const state of [given(opened), given(opened, issued(2)), given(opened, issued(1), closed)]) {
      state
        .when((account) => shareCertificate(account, id, false, link))
        .thenRefused('not-found', 'Certificate not found')
      state.when((account) => endSharing(account, id)).thenRefused('not-found', 'Certificate not found')
    }
    given(opened, issued(1), revoked(null))
      .when((state) => shareCertificate(state, id, false, link))
      .thenRefused('conflict', 'This certificate was revoked')
  })
})

describe('revoking a certificate', () => {
  it('is done once, with or without a reason, and leaves its link', () => {
    given(opened, issued(1))
      .when((state) => revokeCertificate(state, id, 'Issued by mistake'))
      .then([revoked('Issued by mistake')])
    const shareAndRevoke = given(opened, issued(1), shared(false), revoked(null))
    shareAndRevoke
      .when((state) => revokeCertificate(state, id, ''))
      .thenRefused('conflict', 'This certificate was already revoked')
    expect(shareAndRevoke.state.certificates.get(id)).toMatchObject({
      revokedAt: expect.any(Number),
      share: { showsName: false },
    })
  })
})
