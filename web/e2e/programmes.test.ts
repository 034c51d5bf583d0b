import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ListedProgramme, ProgrammeVersionAnswer } from '#services/programmes/programmes/programme-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { programOf } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Browser as Client } from '#test-support/http-client.ts'
import { describeSite, openNavigation, typedTextIsBack } from './kit.ts'

describeSite('programmes', (site) => {
  it('are written in sentences by somebody who has never seen the page', async () => {
    const admin = await site.portal.admin()
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/dashboard')
    await openNavigation(page)
    await page.getByRole('link', { name: 'Programmes' }).click()
    await page.getByRole('table', { name: 'Programmes' }).getByText('One-Step 100K').waitFor()
    await expectGoodLook()
    await look(page, 'programmes')
    await page.getByRole('link', { name: 'New Programme' }).click()
    await page.getByRole('heading', { level: 1, name: 'New Programme' }).waitFor()
    await expectGoodLook()

    await page.getByLabel('Name', { exact: true }).fill('Prague 100K')
    await page.getByLabel('Start of the trading day').fill('00:00')
    await page.getByLabel('Time zone').fill('Prague')
    const stage = (name: string) => page.getByRole('region', { name, exact: true })
    const sentence = (title: string, name: string) =>
      stage(name).getByRole('group', { name: `${title} in ${name}`, exact: true })
    await sentence('Profit target', 'Phase 1').getByLabel('Profit target in %').fill('10')
    expect(await sentence('Profit target', 'Phase 2').getByLabel('Profit target in %').inputValue()).toBe('5')
    await sentence('Profit target', 'Phase 1').getByText('($10,000.00)').waitFor()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Prague')
    await sentence('Daily loss', 'Phase 1')
      .getByLabel('Counted below')
      .selectOption({ label: 'the higher of balance and equity at the start of the day' })
    await page.getByRole('button', { name: 'Actions for Daily loss in Phase 1' }).click()
    await page.getByRole('menuitem', { name: 'Use in all stages' }).click()
    await page.getByRole('button', { name: 'Add Rule to Phase 1' }).click()
    await page.getByRole('menuitem', { name: 'Minimum days' }).click()
    await sentence('Minimum days', 'Phase 1').getByLabel('Minimum days', { exact: true }).fill('4')
    await page.getByRole('button', { name: 'Actions for Minimum days in Phase 1' }).click()
    await page.getByRole('menuitem', { name: 'Use in Phase 2 too' }).click()
    await sentence('Payouts', 'Funded').getByLabel('First payout counts from').selectOption('1')
    const promises = sentence('Promises of payouts', 'Funded')
    await promises.getByLabel('Promises of payouts').selectOption({ label: 'A request is decided within' })
    await promises.getByLabel('Hours to the verdict').fill('9000')
    await promises.getByText('Write a whole number of hours from 1 to 8,760.').waitFor()
    await promises.getByLabel('Hours to the verdict').fill('12')
    await expectGoodLook()
    await look(page, 'programme-editor')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const asked = page.getByRole('alertdialog', { name: 'Publish Prague 100K' })
    await asked.getByRole('button', { name: 'Publish' }).click()
    await expectToast('Programme published', 'Prague 100K')
    await page.getByRole('heading', { level: 1, name: 'Prague 100K' }).waitFor()
    await page.getByText('Published', { exact: true }).first().waitFor()
    // Who published it is read by name.
    await page.getByRole('button', { name: 'Copy the SHA-256 of the terms' }).waitFor()
    await page.getByRole('button', { name: 'Copy the id of the member of staff' }).waitFor({ state: 'detached' })
    await expectGoodLook()
    await look(page, 'programme')

    const id = new URL(page.url()).pathname.split('/').at(-1)
    const [published] = await newest(admin)
    expect(published).toMatchObject({ id, versions: [{ version: 1, state: 'published' }] })
    const { terms } = ProgrammeVersionAnswer.parse((await admin.get(`/api/admin/programmes/${id}/versions/1`)).body)
    expect(terms).toEqual(wanted)
  })

  it('name each fault at its blank', async () => {
    const { page, open, expectGoodLook } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/programmes/new')
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    const target = page.getByRole('group', { name: 'Profit target in Phase 1', exact: true })
    await target.getByLabel('Profit target in %').fill('ten')
    await target.getByText('Write a percentage, like 5 or 2.5.').waitFor()
    await page.getByLabel('Time zone').fill('Atlantis')
    await page.getByText('Choose a time zone by its name, like Europe/Prague.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Write the name that traders read, up to 200 letters.').waitFor()
    await page.getByText('Please fill in what is marked red first.').waitFor()
    await expect
      .poll(() => page.getByLabel('Name', { exact: true }).evaluate((field) => field.matches(':focus')))
      .toBe(true)
    await expectGoodLook()
    await look(page, 'programme-faults')
    await page.getByLabel('Start from').selectOption({ label: 'One phase, then funded' })
    await page.getByRole('region', { name: 'Phase 2', exact: true }).waitFor({ state: 'detached' })
    await target.getByText('($10,000.00)').waitFor()
  })

  it('are written as JSON as well, saved as drafts, and followed by a new version', async () => {
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/programmes/new')
    const target = page.getByRole('group', { name: 'Profit target in Phase 1', exact: true })
    await page.getByRole('button', { name: 'Write as JSON' }).click()
    const text = page.getByLabel('Terms as JSON')
    await text.fill('{')
    await page.getByText(/^This cannot be read as JSON yet/).waitFor()
    const terms = { ...presetTerms('two-step', 50_000), name: 'Written 50K' }
    await text.fill(JSON.stringify({ ...terms, colour: 'red' }))
    await page.getByRole('alert', { name: 'Faults in the JSON' }).getByText('colour').waitFor()
    await text.fill(JSON.stringify(terms))
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Written 50K')
    await target.getByLabel('Profit target in %').fill('7')
    await expect.poll(async () => (await text.inputValue()).replaceAll(/\s/g, '')).toContain('"target":{"percent":"7"')
    await expectGoodLook()
    await page.getByRole('button', { name: 'Save Draft' }).click()
    await expectToast('Draft saved', 'Written 50K')
    // A draft is gone on with, and published in one step, since nobody is enrolled.
    await page.getByRole('link', { name: 'Edit Draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit Draft' }).waitFor()
    await page.getByRole('combobox', { name: 'Breaches' }).selectOption({ label: 'Decided by the rules alone' })
    await page.getByRole('button', { name: 'Save Draft' }).click()
    await expectToast('Draft saved', 'Written 50K')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    await expectToast('Programme published')

    await page.getByRole('link', { name: 'New Version' }).click()
    await page.getByRole('heading', { level: 1, name: 'New Version' }).waitFor()
    await page.getByRole('combobox', { name: 'Breaches' }).selectOption({ label: 'Confirmed by a member of staff' })
    await page.getByRole('button', { name: 'Save Draft' }).click()
    await expectToast('Draft saved', 'Written 50K')
    const changes = page.locator('section', { hasText: 'Changes since version 1' }).last()
    await changes.getByText('Now: Confirmed by a member of staff').waitFor()
    await expectGoodLook()
    await page.getByLabel('Version', { exact: true }).selectOption('1')
    await page.getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retire' }).click()
    await expectToast('Version retired')
    expect(new URL(page.url()).searchParams.get('version')).toBe('1')
  })

  it('are written for several sizes from one table, and survive a reload', async () => {
    const admin = await site.portal.admin()
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    page.on('dialog', (leaving) => void leaving.accept())
    await open('/admin/programmes/new')
    await page.getByLabel('Name', { exact: true }).fill('Sprint 100K')
    const size = (n: number) => page.getByRole('list', { name: 'Sizes' }).getByRole('listitem').nth(n)
    await page.getByRole('button', { name: 'Add Size' }).click()
    await size(1).getByLabel('Account size').fill('50,000')
    await size(1).getByLabel('Name', { exact: true }).click()
    expect(await size(1).getByLabel('Name', { exact: true }).inputValue()).toBe('Sprint 50K')
    await page.getByRole('button', { name: 'Add Size' }).click()
    // Dollars follow the size, until others are typed.
    const loss = page.getByRole('group', { name: 'Maximum loss in Phase 1', exact: true })
    await loss.getByText('($500.00 to $10,000.00)').waitFor()
    await loss.getByLabel('Maximum loss: of what').selectOption('dollars')
    const own = (n: number) => size(n).getByLabel('Phase 1: Maximum loss ($)')
    expect(await Promise.all([0, 1, 2].map((n) => own(n).inputValue()))).toEqual(['10,000', '5,000', '500'])
    await loss.getByLabel('Maximum loss in dollars').fill('8000')
    await expect.poll(() => own(1).inputValue()).toBe('4,000')
    await own(2).fill('450')
    await own(2).blur()
    await page.getByRole('button', { name: 'Add Rule to Phase 2' }).click()
    await page.getByRole('menuitem', { name: 'Inactivity' }).click()
    await expectGoodLook()
    await look(page, 'programme-sizes')

    await page.reload()
    await typedTextIsBack(page)
    await expect.poll(() => own(2).inputValue()).toBe('450')
    await page.getByRole('group', { name: 'Inactivity in Phase 2', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Publish 3 Programmes' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    await expectToast('Programmes published', 'Sprint 100K, Sprint 50K, Sprint 5K')
    await page.getByRole('table', { name: 'Programmes' }).getByText('Sprint 5K').waitFor()
    const documents = await Promise.all(
      (await newest(admin))
        .slice(0, 3)
        .map(async ({ id }) =>
          ProgrammeVersionAnswer.parse((await admin.get(`/api/admin/programmes/${id}/versions/1`)).body),
        ),
    )
    expect(
      documents.map(({ state, terms }) => [state, terms.name, terms.accountSize, terms.stages[0]?.rules[0]]).toSorted(),
    ).toMatchObject([
      ['published', 'Sprint 100K', '100000.00', { limit: { amount: '8000.00' } }],
      ['published', 'Sprint 50K', '50000.00', { limit: { amount: '4000.00' } }],
      ['published', 'Sprint 5K', '5000.00', { limit: { amount: '450.00' } }],
    ])
  })

  it('of one family are changed together, and the what-ifs of those with traders are seen first', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Grace Hopper' })
    await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'two-step-50000' })
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/programmes')
    await page.getByRole('button', { name: 'All Two-Step' }).click()
    await page.getByText('6 programmes chosen.').waitFor()
    await page.getByRole('link', { name: 'Change Together' }).click()
    await page.getByRole('heading', { level: 1, name: 'Change Programmes' }).waitFor()
    for (const name of ['Phase 1', 'Phase 2', 'Funded'])
      await page
        .getByRole('group', { name: `Daily loss in ${name}`, exact: true })
        .getByLabel('Daily loss in %')
        .fill('4')
    await look(page, 'programmes-together')
    await page.getByRole('button', { name: 'Publish 6 Programmes' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    await expectToast('Saved as drafts', 'Look at the what-if first: Two-Step 50K')
    await page.getByRole('heading', { level: 2, name: 'What-if of Two-Step 50K' }).waitFor()
    await expectGoodLook()
    await look(page, 'programmes-review')
    await page.getByRole('button', { name: 'Publish the Draft' }).click()
    await expectToast('Programme published', 'Two-Step 50K')
    const listed = (await newest(admin)).filter(({ name }) => name.startsWith('Two-Step'))
    expect(listed).toHaveLength(6)
    for (const { id, versions } of listed) {
      expect(versions.at(-1)).toMatchObject({ version: 2, state: 'published' })
      const { terms } = ProgrammeVersionAnswer.parse((await admin.get(`/api/admin/programmes/${id}/versions/2`)).body)
      for (const { rules } of terms.stages) expect(rules[1]).toMatchObject({ limit: { percent: '4' } })
    }
  })

  it('are compared with a draft over the real history before it is published', async () => {
    const admin = await site.portal.admin()
    const bridge = await programOf(site.portal, admin, { name: 'Bridge', scopes: ['feed'] })
    const trader = await site.portal.trader({ fullName: 'Ada Lovelace' })
    const account = `${trader.id}-a1`
    await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'one-step-25000' })
    await admin.patch(`/api/admin/accounts/${account}`, wholeLogin('91000001'))
    const rows = ['24500.00', '23700.00'].map((balance, n) => ({
      ...{ account, at: new Date(Date.now() - (3 - n) * 86_400_000).toISOString(), kind: 'state' },
      ...{ balance, equity: balance, open: false },
    }))
    await bridge.post('/api/feed/observations', { rows })

    const preset = presetTerms('one-step', 25_000)
    const stricter = {
      ...preset,
      stages: preset.stages.map((stage) => ({
        ...stage,
        rules: stage.rules.map((rule) =>
          rule.kind === 'maximum-loss' ? { ...rule, limit: { percent: '5', of: 'account-size' } } : rule,
        ),
      })),
    }
    await admin.post('/api/admin/programmes/one-step-25000/versions', { terms: stricter })
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/programmes/one-step-25000')
    const whatIf = page.locator('section', { hasText: 'What-if over the real history' }).last()
    await whatIf.getByText('Not computed for these terms yet.').waitFor()

    // While it runs, the page says how far it is.
    const running = '**/what-if?limit=200'
    const zeros = { breached: 0, notBreached: 0, passed: 0, notPassed: 0, payouts: 0 }
    await page.route(running, (route) =>
      route.fulfill({
        json: { state: 'running', hash: 'a', accounts: 10_000, compared: 2_500, counts: zeros, differences: [] },
      }),
    )
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    const bar = page.getByRole('progressbar', { name: 'Progress of the what-if' })
    await bar.waitFor()
    expect(await bar.getAttribute('aria-valuenow')).toBe('25')
    await page.getByText('2,500 of 10,000 accounts compared. You can leave this page.').waitFor()
    await expectGoodLook()
    await page.unroute(running)

    await whatIf.getByText('1 of 1 accounts would stand differently.').waitFor()
    const row = page.getByRole('table', { name: 'Accounts that would stand differently' }).locator('[data-row]')
    await row.getByText(account).waitFor()
    await row.getByText('In progress').waitFor()
    await row.getByText('Breached').waitFor()
    await row.getByText('Maximum loss: $23,700.00 at $23,750.00').waitFor()
    await expectGoodLook()
    await look(page, 'what-if')
    await row.getByRole('link', { name: account }).click()
    const details = page.getByRole('dialog', { name: 'Ada Lovelace' })
    await details.getByRole('button', { name: /^Account 1/, pressed: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('account')).toBe(account)
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('alertdialog').getByText('1 of 1 accounts would stand differently under it.').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 2, published').waitFor({ state: 'attached' })
  })

  it('are read by other members of staff', async () => {
    const { page, open } = await site.visit({ as: await site.portal.member('support') })
    await open('/admin/programmes/one-step-100000')
    await page.getByText('10% of the account size ($10,000.00) on the balance, with no open position').waitFor()
    await page.getByText('The system').waitFor()
    expect(await page.getByRole('button', { name: /Publish|Retire/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: /Edit Draft|New Version/ }).count()).toBe(0)
    await open('/admin/programmes/none')
    await page.getByText('There is no such programme').waitFor()
  })
})

/** A two-step as a firm describes it: what the page has to publish for it. */
const promises = { decidedWithinHours: 12, sentWithinHours: 48 }
const wanted = {
  ...presetTerms('two-step', 100_000),
  name: 'Prague 100K',
  day: { zone: 'Europe/Prague', startsAt: '00:00' },
  stages: presetTerms('two-step', 100_000).stages.map((stage, n) => {
    const rules = stage.rules.map((rule) => {
      if (rule.kind === 'daily-loss') return { ...rule, from: 'day-start-higher' }
      return rule.kind === 'profit-target' && n === 0
        ? { ...rule, target: { percent: '10', of: 'account-size' } }
        : rule
    })
    return stage.funded
      ? { ...stage, rules, payouts: { ...stage.payouts, firstCountsFrom: 'first-trade' }, promises }
      : {
          ...stage,
          rules: [
            ...rules,
            { kind: 'minimum-days', days: 4, counts: { what: 'traded', day: 'opened' }, since: 'stage' },
          ],
        }
  }),
}

async function newest(admin: Client) {
  return z.array(ListedProgramme).parse((await admin.get('/api/admin/programmes')).body)
}

/** SHOTS=DIR saves pictures. */
async function look(
  page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
  name: string,
) {
  const folder = process.env['SHOTS']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
