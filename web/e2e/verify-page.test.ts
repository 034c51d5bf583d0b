import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { someForgeriesOf } from '#test-support/export-attacks.ts'
import { exportedAccount } from '#test-support/exported-account.ts'
import { cosigned, witnessKey } from '#test-support/witnessed-log.ts'
import { sentenceOf } from '#services/oversight/audit/verification-words.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import type { AccountState, AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { reviewFindings } from '#services/trading/stream/finding.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import { describeSite, narrowWidths } from './kit.ts'

const PAGE = join(import.meta.dirname, '../../dist/verify/verify.html')

let firm: Awaited<ReturnType<typeof exportedAccount>>
const folder = mkdtempSync(join(tmpdir(), 'proofdesk-verify-'))
/** The page shows nothing of what others attest, and is not confused by it. */
const attest = (note: string) => ({
  note: cosigned(note, witnessKey('witness.example/w1', 1), 1_000),
  timestamp: Buffer.from('a time-stamp token'),
})
beforeAll(async () => void (firm = await exportedAccount({ changes: 30, attest })))
afterAll(async () => {
  await firm.close()
  rmSync(folder, { recursive: true })
})

let files = 0

/** Chooses a file with this content, and returns the sentence of the verdict. */
async function verdictOf(page: Page, content: string): Promise<string> {
  const file = join(folder, `history-${++files}.json`)
  writeFileSync(file, content)
  await page.getByRole('status').evaluate((status) => (status.textContent = ''))
  await page.getByLabel('File with the history').setInputFiles(file)
  const verdict = page.getByRole('status').filter({ hasText: /^[✓✗] / })
  await verdict.waitFor()
  return verdict.innerText()
}

describeSite('the verify page', (site) => {
  it('is one file under 600 kB with all that decides on accounts and the rule engine, from the server and saved', async () => {
    const [page, file] = [await site.portal.browser().get('/verify'), await site.portal.browser().get('/verify.html')]
    expect([page.text, file.text]).toEqual([readFileSync(PAGE, 'utf8'), page.text])
    expect([page.headers.get('content-disposition'), file.headers.get('content-disposition')]).toEqual([
      null,
      'attachment; filename="verify.html"',
    ])
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^;]+; worker-src blob:; style-src 'sha256-[^;]+; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(statSync(PAGE).size).toBeLessThan(600_000)
    expect(page.text).not.toMatch(/\bsrc=|<link|\bfetch\(|\bimport\(|\beval\(/)
  })

  it('says that an own history is genuine, and shows it with the account at any entry', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Ada Lovelace' })
    await admin.patch(`/api/admin/user/${trader.id}/account`, {
      balance: '5000.00',
      status: 'active',
      phase: 'Phase 1',
    })
    const { page, open } = await site.visit({ as: trader })
    await open('/verify')
    expect(await verdictOf(page, (await trader.get('/api/user/history/proof')).text)).toMatch(
      /^✗ Nothing in this file is proven yet/,
    )
    const text = firm.files.trader
    expect(await verdictOf(page, text)).toBe(`✓ ${sentenceOf(await verifyExport(text))}`)
    const proven = page.getByRole('region', { name: 'Proven, newest first' })
    await proven.getByText('Why: Proof of address is missing').waitFor()
    await proven.getByText('Signed up', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Recorded, not proven' }).getByText('Active → Breached').waitFor()
    const account = page.getByRole('region', { name: 'The account at this moment' })
    await account.getByText('Ada Lovelace').waitFor()
    await account.getByText('Active', { exact: true }).first().waitFor()
    await proven
      .getByRole('button', { name: /^Account after this entry/ })
      .last()
      .click()
    await account.getByText('No account was opened yet.').waitFor()
    await page
      .getByRole('button', { name: /^Account after this entry/ })
      .first()
      .click()
    await account.getByText('Breached', { exact: true }).waitFor()
    await account.getByText(/recorded, not proven$/).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/the-master-password|Dana/)
  })

  it('takes the trading of a day together, and prints the verdict with everything that is folded in', async () => {
    const { page, open } = await site.visit()
    await open('/verify')
    await verdictOf(page, firm.files.auditor)
    const proven = page.getByRole('region', { name: 'Proven, newest first' })
    const day = proven.locator('li', { hasText: 'Trading of the day' }).first()
    await day.getByText(/^\d+ entries$/).waitFor()
    expect(await proven.getByText('Balance changed').first().isVisible()).toBe(false)
    await day.getByText(/^\d+ entries$/).click()
    await day
      .getByRole('button', { name: /^Account after this entry/ })
      .first()
      .click()
    expect(await day.locator('[aria-current]').count()).toBe(1)
    await day.getByText(/^\d+ entries$/).click()
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await page
      .getByRole('status')
      .getByText(/^✓ Genuine/)
      .waitFor()
    expect(await proven.getByText('Balance changed').first().isVisible()).toBe(true)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
    expect(await page.getByLabel('File with the history').isVisible()).toBe(false)
    const account = page.getByRole('region', { name: 'The account at this moment' })
    expect(await account.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  })

  it('starts clean with each file, and says in words what is wrong', async () => {
    const { page, open } = await site.visit()
    await open('/verify')
    await verdictOf(page, firm.files.auditor)
    await page.getByText('By Administrator Dana, risk desk').first().waitFor()
    expect(await verdictOf(page, firm.files.auditor.replace('7814.00', '9814.00'))).toBe(
      '✗ Altered: the file is not what the portal signed.',
    )
    expect(await page.getByText('Dana, risk desk').count()).toBe(0)
    expect(await verdictOf(page, 'Number,Time')).toMatch(/^✗ This is not a Proofdesk export/)
    expect(await verdictOf(page, '{"format":"proofdesk export 1"}')).toMatch(/Download the history again/)
    expect(await verdictOf(page, firm.files.trader)).toMatch(/^✓ Genuine/)
  })

  it.each([
    ['entries that are none', `{"format":"proofdesk export 4","events":[${'{},'.repeat(1_000_000)}{}]}`],
    [
      'names by the thousand',
      `{"format":"proofdesk export 4"${Array.from({ length: 200_000 }, (_, n) => `,"x${n}":0`).join('')}}`,
    ],
    ['depth', `{"format":"proofdesk export 4","events":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ])('ends with a sentence that blames the file, and goes on with the next: %s', async (_, content) => {
    const { page, open } = await site.visit()
    await open('/verify')
    expect(await verdictOf(page, content)).toMatch(/^✗ (Altered|This is not a Proofdesk export)/)
    expect(await verdictOf(page, firm.files.trader)).toMatch(/^✓ Genuine/)
  })

  it('says of each verdict whether it follows from the rules, and marks one that does not', async () => {
    const terms = presetTerms('two-step', 100_000)
    const { hash } = hashedTerms(terms)
    /** Some minutes after the stage began. */
    const moment = ({ stage }: AccountState, minutes: number) => (stage?.begunAt ?? 0) + minutes * 60_000
    const row = (state: AccountState, minutes: number, equity: string) => {
      const at = new Date(moment(state, minutes)).toISOString()
      return observation.parse({ at, kind: 'state', balance: '100000.00', equity, open: equity !== '100000.00' })
    }
    const rows = (state: AccountState) => [row(state, 10, '100000.00'), row(state, 20, '94000.00')]
    const fileWith = async (...recorded: readonly ((state: AccountState) => readonly AccountStreamEvent[])[]) => {
      const observed = (state: AccountState) => recordObservations(state, rows(state), 'feed').events
      const enrolled = { terms, hash, acceptedHash: hash, recorded: [observed, ...recorded] }
      const enrolledFirm = await exportedAccount({ enrolled })
      await enrolledFirm.close()
      return enrolledFirm.files.trader
    }
    const raise = (state: AccountState) => reviewFindings(state, moment(state, 30))
    const raiseHigher = (state: AccountState) =>
      raise(state).map((event) =>
        event.type === 'RuleFindingRaised' ? { ...event, data: { ...event.data, floor: toCents(96_000_00) } } : event,
      )
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit()
    await open('/verify')
    expect(await verdictOf(page, await fileWith(raise))).toMatch(/^✓ Genuine: /)
    const verdicts = page
      .getByRole('region', { name: 'Verdicts' })
      .getByRole('listitem')
      .filter({ hasText: /^Breach/ })
    expect(await verdicts.allInnerTexts()).toEqual([
      expect.stringMatching(
        /^Breach of account ada00000-a1: Daily loss: .*: not decided yet\. .* The rules find it there\.$/,
      ),
    ])
    await page.getByText(`The terms in this file have the hash ${hash}, which its enrolment names.`).waitFor()
    expect(await verdictOf(page, await fileWith(raiseHigher))).toMatch(
      /^✗ Genuine, but not in order: .* One verdict in it does not follow from the rules\.$/,
    )
    expect(await verdicts.allInnerTexts()).toEqual([
      expect.stringMatching(
        /: does not follow from the rules\. .* The rules give: Daily loss: \$94,000\.00 is \$1,000\.00 below the floor of \$95,000\.00, at observation 2 \(entry #\d+\)\.$/,
      ),
    ])
    await expectGoodLook()
    await expectNoSidewaysScroll(...narrowWidths)
  })

  it('remembers the trusted key, and refuses files with another', async () => {
    const { page, open } = await site.visit()
    await open('/verify')
    await page.getByLabel('The firm’s key').fill(firm.keys[1].id)
    expect(await verdictOf(page, firm.files.trader)).toMatch(/^✓ Genuine/)
    await page.getByText('with the key that you trust').waitFor()
    await open('/verify')
    expect(await page.getByLabel('The firm’s key').inputValue()).toBe(firm.keys[1].id)
    await page.getByLabel('The firm’s key').fill('0123456789abcdef')
    expect(await verdictOf(page, firm.files.trader)).toMatch(/^✗ Not genuine: it is signed with key/)
  })

  it('refuses forgeries, saved and without a network', async () => {
    const { page, context } = await site.visit()
    await context.setOffline(true)
    await page.goto(pathToFileURL(PAGE).href)
    expect(await verdictOf(page, firm.files.auditor)).toMatch(/^✓ Genuine/)
    for (const { name, text } of someForgeriesOf(firm.files.auditor, 60, { pairs: 10 })) {
      const forged = text()
      if (forged !== firm.files.auditor)
        expect([name, await verdictOf(page, forged)]).toEqual([name, expect.stringMatching(/^✗ /)])
    }
  })

  it('is accessible and fits in both themes, on desktop and phone', async () => {
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit()
    await open('/verify')
    await expectGoodLook()
    for (const content of [firm.files.auditor, '{}']) {
      await verdictOf(page, content)
      await expectGoodLook()
      await expectNoSidewaysScroll(...narrowWidths)
    }
  })
})
