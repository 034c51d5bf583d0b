import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { programOf } from '#test-support/http-calls.ts'
import { describeSite, openNavigation } from './kit.ts'

describeSite('programmes', (site) => {
  it('are drafted, corrected, tried, published and followed by a new version', async () => {
    const admin = await site.portal.admin()
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/dashboard')
    await openNavigation(page)
    await page.getByRole('link', { name: 'Programmes' }).click()
    const table = page.getByRole('table', { name: 'Programmes' })
    await table.getByText('One-Step 100K').waitFor()
    await expectGoodLook()

    // A fault is named at its place, and nothing is sent.
    await page.getByRole('button', { name: 'New Programme' }).click()
    const editor = page.getByRole('dialog', { name: 'New Programme' })
    const text = editor.getByLabel('Terms as JSON')
    await editor.getByText('The terms stand here in words once all fields are filled in.').waitFor()
    expect(await editor.getByText('expected a text').count()).toBe(0)
    // The form and the JSON follow each other.
    const form = editor.getByRole('region', { name: 'Terms as a form' })
    await form.getByLabel('Name', { exact: true }).first().fill('Written in the form')
    await form.getByLabel('Breaches').selectOption('automatically')
    const written = JSON.stringify({ name: 'Written in the form', breaches: 'automatically' }).slice(1, -1).split(',')
    for (const part of written)
      await expect
        .poll(async () => (await text.inputValue()).replaceAll(/\s/g, ''))
        .toContain(part.replaceAll(/\s/g, ''))
    await editor.getByText('Decided by the rules alone').waitFor()
    const firstStage = form.getByRole('group', { name: 'Stage 1', exact: true })
    await firstStage.getByRole('button', { name: 'Remove Rule 2' }).click()
    await firstStage.getByRole('button', { name: 'Add Rule' }).click()
    await firstStage
      .getByRole('group', { name: 'Rule 3', exact: true })
      .getByLabel('Kind')
      .first()
      .selectOption({ label: 'Minimum days' })
    await firstStage.getByRole('group', { name: 'Rule 3', exact: true }).getByLabel('Days', { exact: true }).fill('4')
    await editor.getByText('4 days by the calendar').waitFor()
    await expectGoodLook()
    await look(page, 'programme-form')
    const terms = { ...presetTerms('two-step', 50_000), name: 'Summer 50K' }
    await text.fill(JSON.stringify({ ...terms, day: { zone: 'Europe/Atlantis', startsAt: '00:00' } }))
    await editor.getByText('day.zone').waitFor()
    // The fault stands at its field, too.
    await form.getByText('expected the IANA name of a time zone').waitFor()
    await editor.getByRole('button', { name: 'Save Draft' }).click()
    await editor.getByText('Please correct the faults first').waitFor()
    await text.fill('{')
    await editor.getByText(/^This is no JSON/).waitFor()
    await editor.getByText('The form is here again once the JSON can be read.').waitFor()
    await text.fill(JSON.stringify(terms, null, 2))
    await editor.getByText('8% of the account size ($4,000.00) on the balance, with no open position').waitFor()
    await look(page, 'programme-editor')
    await editor.getByRole('button', { name: 'Save Draft' }).click()
    await expectToast('Programme drafted', 'Summer 50K')

    await page.getByRole('heading', { level: 1, name: 'Summer 50K' }).waitFor()
    await page.getByRole('button', { name: 'Run What-If' }).click()
    await page.getByText('No account lives under this programme: nothing would change.').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click()
    await expectToast('Programme published')
    await expectGoodLook()
    await look(page, 'programme')

    await page.getByRole('button', { name: 'New Version' }).click()
    const next = page.getByRole('dialog', { name: 'New Version' })
    await next.getByLabel('Terms as JSON').fill(JSON.stringify({ ...terms, breaches: 'automatically' }))
    await next.getByRole('button', { name: 'Save Draft' }).click()
    await expectToast('Version drafted', 'Summer 50K, version 2')
    const changes = page.locator('section', { hasText: 'Changes since version 1' }).last()
    await changes.getByText('Now: Decided by the rules alone').waitFor()
    await look(page, 'programme-version')
    await expectGoodLook()
    await page.getByLabel('Version', { exact: true }).selectOption('1')
    await page.getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retire' }).click()
    await expectToast('Version retired')
    expect(new URL(page.url()).searchParams.get('version')).toBe('1')
  })

  it('are compared with a draft over the real history before it is published', async () => {
    const admin = await site.portal.admin()
    const bridge = await programOf(site.portal, admin, { name: 'Bridge', scopes: ['feed'] })
    const trader = await site.portal.trader({ fullName: 'Ada Lovelace' })
    const account = `${trader.id}-a1`
    await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'one-step-25000' })
    await admin.patch(`/api/admin/accounts/${account}`, { login: '91000001', server: 'Broker-MT5' })
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
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0)

    // While it runs, the page says how far it is.
    const running = '**/what-if?limit=200'
    const zeros = { breached: 0, notBreached: 0, passed: 0, notPassed: 0, payouts: 0 }
    await page.route(running, (route) =>
      route.fulfill({
        json: { state: 'running', hash: 'a', accounts: 10_000, compared: 2_500, counts: zeros, differences: [] },
      }),
    )
    await page.getByRole('button', { name: 'Run What-If' }).click()
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
    await open('/admin/programmes/two-step-100000')
    await page.getByText('8% of the account size ($8,000.00) on the balance, with no open position').waitFor()
    await page.getByText('The system').waitFor()
    expect(await page.getByRole('button', { name: /Edit|Publish|Retire|New Version/ }).count()).toBe(0)
    await open('/admin/programmes/none')
    await page.getByText('There is no such programme').waitFor()
  })
})

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
