import { describe, expect, it } from 'vitest'
import { type AccountEvent, accountDecider } from '../account/account.ts'
import { type CertificateEvent, type CertificateIssue, issueCertificate, nextCertificateId } from './certificate.ts'
import { certificateId, userId } from '../ids.ts'
import { givenEvents } from '../../../test-support/given-when-then.ts'

const given = givenEvents(accountDecider)

const owner = userId.parse('trader01')
const opened: AccountEvent = { type: 'AccountOpened', data: { userId: owner } }
const closed: AccountEvent = { type: 'AccountClosed', data: { status: 'active' } }
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
      .thenRefused('not-found', 'User not found')
    given(opened, closed)
      .when((state) => issueCertificate(state, issue(1)))
      .thenRefused('not-found', 'User not found')
  })

  it('gives each certificate of an account the next number', () => {
    expect(nextCertificateId(given(opened).state)).toBe('trader01-c1')
    expect(nextCertificateId(given(opened, issued(1), issued(2)).state)).toBe('trader01-c3')
  })

  it('never gives a number twice, also after one was left out', () => {
    expect(nextCertificateId(given(opened, issued(1), issued(4)).state)).toBe('trader01-c5')
  })

  it('keeps the certificates in the order of their numbers', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
    const { state } = given(opened, ...numbers.map(issued))
    expect([...state.certificates.values()].map(({ file }) => file)).toEqual(numbers.map((number) => `file-${number}.pdf`))
  })

  it('remembers where the file is, and nothing personal', () => {
    expect(given(opened, issued(1)).state.certificates.get(issue(1).certificateId)).toEqual({
      id: 'trader01-c1',
      issuedAt: '2026-01-05',
      file: 'file-1.pdf',
    })
  })
})
