import { expect, it } from 'vitest'
import { type SetupFacts, setupSteps } from './setup-steps.ts'

const HOUR = 3_600_000

const fresh: SetupFacts = {
  firmName: undefined,
  mailFolder: '/data/outbox',
  mailTested: null,
  offers: { isSet: false, shown: 12, toExample: 12 },
  hasFirmAccount: false,
  backupAge: null,
  sealsOutside: false,
  members: 1,
  trader: { enrolled: false, traded: false, paid: false },
}
const ready: SetupFacts = {
  firmName: 'Northgate',
  mailFolder: null,
  mailTested: 'sent',
  offers: { isSet: true, shown: 3, toExample: 0 },
  hasFirmAccount: true,
  backupAge: HOUR,
  sealsOutside: true,
  members: 2,
  trader: { enrolled: true, traded: true, paid: true },
}
const step = (id: string, facts: SetupFacts) => setupSteps(facts).find((one) => one.id === id)

it('has everything to do at first, and nothing once all is true', () => {
  expect(setupSteps(fresh).map(({ done }) => done)).toEqual(Array(8).fill(false))
  expect(setupSteps(ready).filter(({ done }) => !done)).toEqual([])
})

it('says where mails go without a server, and is done only once a test was taken', () => {
  expect(step('mail', fresh)?.says).toContain('nobody gets a mail. Each goes into a file in /data/outbox')
  // A file is no delivery.
  expect(step('mail', { ...fresh, mailTested: 'file' })?.done).toBe(false)
  expect(step('mail', { ...ready, mailTested: null })).toMatchObject({ done: false })
  expect(step('mail', { ...ready, mailTested: 'failed' })?.says).toContain('did not take the last test mail')
})

it('counts the buttons that lead to an example address', () => {
  expect(step('offers', fresh)?.says).toContain('12 of 12 buttons')
  expect(step('offers', { ...ready, offers: { isSet: true, shown: 0, toExample: 0 } })?.says).toContain('sells nothing')
})

it('leads a test trader from one page to the next', () => {
  const at = (enrolled: boolean, traded: boolean, paid: boolean) =>
    step('trader', { ...fresh, trader: { enrolled, traded, paid } })
  expect(at(false, false, false)?.page).toBe('/admin/users')
  expect(at(true, false, false)?.page).toBe('/admin/imports')
  expect(at(true, true, false)?.page).toBe('/admin/payouts')
  expect(at(true, true, true)?.done).toBe(true)
})

it('goes by the age of the last backup', () => {
  const at = (hours: number) => step('backup', { ...ready, backupAge: hours * HOUR })
  expect(at(0.5)).toMatchObject({ done: true, says: 'The last one is less than an hour old.' })
  expect(at(25)).toMatchObject({ done: true, says: 'The last one is 25 hours old.' })
  expect(at(37)).toMatchObject({
    done: false,
    says: expect.stringMatching(/^The last one is 37 hours old: .* every day/),
  })
  expect(at(24 * 40)?.says).toMatch(/^The last one is 40 days old/)
})
