import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { presetTerms } from '#services/modules/programmes/presets.ts'
import { describeSite } from './kit.ts'

describeSite('programmes', (site) => {
  it('are drafted, corrected, tried, published and followed by a new version', async () => {
    const admin = await site.portal.admin()
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/dashboard')
    await page.getByRole('link', { name: 'Programmes' }).click()
    const table = page.getByRole('table', { name: 'Programmes' })
    await table.getByText('One-Step 100K').waitFor()
    await expectGoodLook()

    // A fault is named at its place, and nothing is sent.
    await page.getByRole('button', { name: 'New Programme' }).click()
    const editor = page.getByRole('dialog', { name: 'New Programme' })
    const text = editor.getByLabel('Terms as JSON')
    await editor.getByText('expected a text').first().waitFor()
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
