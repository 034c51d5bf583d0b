import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { readConfig } from '#services/process/config.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { version } from '#services/process/version.ts'
import { DEMO_PASSWORD, generateFirm } from '../demo/demo-firm.ts'
import { read } from './http-calls.ts'
import { type Answer, type Browser, browser } from './http-client.ts'
import { answersTo, releasedData, staffOf, startReleased } from './released-data.ts'
import { storedEvents } from './stores.ts'
import { until } from './until.ts'

/**
 * Records what this version writes, for the test that later versions open it: `npx tsx
 * test-support/record-released-data.ts`. The folder of a small firm, with events of nearly all types, an export of an
 * account, and what the portal answers. It is recorded once, before a release.
 */

const SEED = 20_200_000
const TRADERS = 20
const staffAddresses = [
  '/api/admin/users?limit=1000',
  '/api/admin/payouts?limit=1000',
  '/api/admin/findings?limit=1000',
  '/api/admin/programmes',
  '/api/admin/imports',
  '/api/admin/batches',
  '/api/admin/tasks',
  '/api/admin/keys',
]
const traderAddresses = [
  '/api/user/accounts',
  '/api/user/account',
  '/api/user/payouts',
  '/api/user/certificates',
  '/api/user/enrolments',
  '/api/user/ledger',
]

const emailOf = (name: string) => `${name}@example.com`
const id = z.object({ id: z.string() })
const ids = z.array(id)

async function expectOk(what: Promise<Answer>): Promise<Answer> {
  const answer = await what
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** What no generated history holds: changes that people make by hand. */
async function workByHand(url: string, staff: Browser): Promise<void> {
  const ok = expectOk
  const userOf = async (name: string) =>
    read(ids, await staff.get(`/api/admin/users?search=${encodeURIComponent(emailOf(name))}`))[0]?.id ?? ''
  const traderNamed = async (name: string, password = DEMO_PASSWORD): Promise<Browser> => {
    const trader = browser(url)
    await ok(trader.post('/api/login', { email: emailOf(name), password }))
    return trader
  }

  // A trader's own changes.
  const amelia = await traderNamed('amelia.whitfield')
  const newPassword = 'another demo'
  await ok(
    amelia.post('/api/user/change-password', {
      ...{ currentPassword: DEMO_PASSWORD, newPassword, confirmPassword: newPassword },
    }),
  )
  await ok(amelia.patch('/api/user/profile', { city: 'Oxford' }))
  await ok(amelia.patch('/api/user/profile', { email: 'amelia@example.org', currentPassword: newPassword }))
  await ok(amelia.post('/api/user/confirm-email'))
  await ok(amelia.patch('/api/user/notices', { muted: ['payments'] }))
  const [certificate] = read(ids, await amelia.get('/api/user/certificates'))
  await ok(amelia.post(`/api/user/certificates/${certificate?.id}/share`, { showsName: true }))
  await ok(amelia.delete(`/api/user/certificates/${certificate?.id}/share`))
  await ok(amelia.delete('/api/user/sessions'))
  await ok(browser(url).post('/api/forgot-password', { email: emailOf('yui.nakamura') }))

  // Staff: an account by hand, the ledger, a correction, certificates, reports.
  const nadia = await userOf('nadia.rahman')
  await ok(staff.patch(`/api/admin/user/${nadia}`, { fullName: 'Nadia Rahman-Cole' }))
  await ok(
    staff.post(`/api/admin/accounts/${nadia}-a1/ledger`, {
      ...{ kind: 'fee', amount: '-25.00', reference: 'platform fee 1', reason: 'Fee of the platform' },
    }),
  )
  await ok(staff.post(`/api/admin/user/${nadia}/account/master-password`))
  await ok(staff.post('/api/admin/users', { fullName: 'Ada Lovelace', email: emailOf('ada.lovelace') }))
  const fatou = await userOf('fatou.diallo')
  const [observed] = read(ids, await staff.get(`/api/admin/accounts/${fatou}-a1/observations?limit=1`))
  await ok(
    staff.post(`/api/admin/accounts/${fatou}-a1/observations/${observed?.id}/correction`, {
      ...{ observation: null, reason: 'A trade of another account' },
    }),
  )
  await ok(staff.post(`/api/admin/certificates/${certificate?.id}/revoke`, { reason: 'Issued for the wrong stage' }))
  await ok(staff.get('/api/admin/users.csv'))
  await ok(staff.get(`/api/audit/accounts/${nadia}/export?format=csv`))
  const jonas = await userOf('jonas.vogel')
  await ok(staff.patch(`/api/admin/user/${jonas}/ban`, { banned: true, banReason: 'Two people on one account' }))
  await ok(staff.patch(`/api/admin/user/${jonas}/ban`, { banned: false }))
  await ok(staff.delete(`/api/admin/user/${jonas}/sessions`))
  const lukas = await userOf('lukas.brandt')
  await ok(staff.post(`/api/admin/accounts/${lukas}-a1/close`, { reason: 'Bought by mistake' }))
  await ok(staff.delete(`/api/admin/user/${await userOf('tyler.brooks')}`))

  // Programmes, keys, staff.
  const sprint = '/api/admin/programmes/sprint-50k/versions'
  const { terms } = read(z.object({ terms: z.looseObject({}) }), await staff.get(`${sprint}/2`))
  await ok(staff.patch(`${sprint}/2`, { terms: { ...terms, name: 'Sprint 50K, stricter' } }))
  await ok(staff.post('/api/admin/programmes/one-step-200000/versions/1/retire'))
  const expiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const key = read(id, await ok(staff.post('/api/admin/keys', { name: 'Test', scopes: ['feed'], expiresAt })))
  await ok(staff.delete(`/api/admin/keys/${key.id}`))
  const member = read(
    id,
    await ok(staff.post('/api/admin/staff', { name: 'Sam, support', role: 'support', expiresAt: null })),
  )
  await ok(staff.patch(`/api/admin/staff/${member.id}`, { name: 'Sam Lee, support', role: 'support', expiresAt }))
  const replaced = read(id, await ok(staff.post(`/api/admin/staff/${member.id}/key`, { expiresAt })))
  await ok(staff.delete(`/api/admin/staff/${replaced.id}`))
}

const release = releasedData(version)
const dataDir = mkdtempSync(join(tmpdir(), 'proofdesk-released-'))
try {
  mkdirSync(join(import.meta.dirname, 'fixtures', version), { recursive: true })
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  await generateFirm({ config, traders: TRADERS, seed: SEED, until: Date.now() - 3_600_000 })
  const running = await startReleased(dataDir)
  let exported = ''
  let answers
  try {
    const staff = await staffOf(running)
    await workByHand(running.address, staff)
    const traders: Record<string, Record<string, unknown>> = {}
    for (const name of ['greta.lindner', 'kenji.tanaka', 'oliver.patel', 'johanna.bohm', 'imogen.fairbairn']) {
      const trader = browser(running.address)
      await expectOk(trader.post('/api/login', { email: emailOf(name), password: DEMO_PASSWORD }))
      traders[emailOf(name)] = await answersTo(trader, traderAddresses)
    }
    answers = { staff: await answersTo(staff, staffAddresses), traders }
    const [greta] = read(ids, await staff.get(`/api/admin/users?search=${emailOf('greta.lindner')}`))
    exported = await until(async () => {
      const { text } = await staff.get(`/api/audit/accounts/${greta?.id}/export`)
      const found = await verifyExport(text)
      return found.outcome === 'genuine' && found.proven === found.entries.length ? text : undefined
    }, 'an export that is proven')
    const types = new Set((await storedEvents(running.parts)).map(({ type }) => type))
    const missing = Object.keys(eventRegistry.definitions).filter((type) => !types.has(type))
    process.stdout.write(`${types.size} types of events; none of ${missing.join(', ')}\n`)
  } finally {
    await running.stop()
  }
  release.keep(dataDir, exported, answers)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
