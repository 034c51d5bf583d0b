import {
  endorsementText,
  fromHex,
  isConsistent,
  isSigned,
  keyIdOf,
  leafHash,
  leafText,
  nodeHash,
  rootByInclusion,
  sealText,
  sha256,
  signedText,
  textHash,
  toHex,
  verifyExport,
} from './export-verification.ts'

/** {@link verifyExport} and all functions it calls. They need nothing else, so their source text works in the page. */
const checks = [
  endorsementText,
  fromHex,
  isConsistent,
  isSigned,
  keyIdOf,
  leafHash,
  leafText,
  nodeHash,
  rootByInclusion,
  sealText,
  sha256,
  signedText,
  textHash,
  toHex,
  verifyExport,
]

/** The script of the page: reads a file, checks it and shows the result. Texts are set as text, never as markup. Self-contained, as the checks. */
async function show(file: Blob, verify: typeof verifyExport): Promise<void> {
  const element = (id: string): HTMLLike => document.getElementById(id)
  element('verdict').textContent = 'Checking …'
  element('list').replaceChildren()
  const add = (line: string, name: string) => {
    const item = document.createElement('li')
    item.textContent = line
    item.className = name
    element('list').append(item)
  }
  try {
    const trusted = element('key')
      .value.split(/[\s,]+/)
      .filter(Boolean)
    const { problems, facts, keyIds, sealedAt } = await verify(JSON.parse(await file.text()), trusted)
    const proven = facts.filter(({ isProven }) => isProven).length
    element('verdict').textContent =
      problems.length > 0
        ? `This export is NOT what was recorded: ${problems.length} problem${problems.length === 1 ? '' : 's'}`
        : `${proven} of ${facts.length} events are proven${facts.length > proven ? '; the others were not sealed yet' : ''}`
    element('verdict').className = problems.length > 0 ? 'bad' : 'good'
    element('signed').textContent =
      sealedAt === null
        ? 'Nothing was sealed yet.'
        : `Signed with key ${keyIds.join(', ')}; last sealed ${new Date(sealedAt).toISOString()}. ${trusted.length > 0 ? '' : 'Compare this key with the one that the firm has published.'}`
    for (const problem of problems) add(problem, 'bad')
    for (const { position, at, type, recorded, isProven, seal } of facts)
      add(
        `#${position} ${new Date(at).toISOString()} ${type} ${recorded.replace(/"personal":"[^"]*"/, '"personal":"(encrypted)"')} ${isProven ? `proven by seal ${seal}` : seal === null ? 'not sealed yet' : 'NOT proven'}`,
        isProven ? 'good' : 'open',
      )
  } catch (error) {
    element('verdict').textContent = `This file could not be checked: ${error instanceof Error ? error.message : String(error)}`
    element('verdict').className = 'bad'
  }
}

/** The part of the DOM that the script uses: services are compiled without its types. */
interface HTMLLike {
  textContent: string
  className: string
  value: string
  append(child: HTMLLike): void
  replaceChildren(): void
}

declare const document: { getElementById(id: string): HTMLLike; createElement(name: string): HTMLLike }

/**
 * A page that checks an export in any browser, offline: one file that sends nothing. Its policy allows no connection at all.
 */
export function verifyPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>Verify a Proofdesk export</title>
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 20px }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input { font: inherit; max-width: 100%; box-sizing: border-box }
#key { width: 24rem; padding: .375rem .5rem }
#verdict { font-size: 16px; font-weight: 600; margin: 1.5rem 0 .25rem }
ul { list-style: none; padding: 0; font: 12px/1.6 ui-monospace, monospace }
li { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); padding: .375rem 0 .375rem .75rem; overflow-wrap: anywhere; border-left: 3px solid transparent }
li.good { border-left-color: #2e9e5b }
.bad { color: light-dark(#b42318, #ff8a7a) } li.bad { border-left-color: currentColor; padding-left: .75rem }
</style>
</head>
<body>
<h1>Verify a Proofdesk export</h1>
<p>Choose the file that you or your auditor exported. It is checked here, in your browser. Nothing is sent anywhere, and this page works without a network.</p>
<label for="file">Export (JSON)</label>
<input type="file" id="file" accept=".json,application/json">
<label for="key">Id of the key that you trust (optional)</label>
<input id="key" autocomplete="off" spellcheck="false" placeholder="as published by the firm">
<p id="verdict" role="status"></p>
<p id="signed"></p>
<ul id="list" aria-label="Events"></ul>
<script type="module">
${[...checks, show].map(String).join('\n\n')}
const file = document.getElementById('file')
const check = () => { if (file.files[0]) show(file.files[0], verifyExport) }
file.addEventListener('change', check)
document.getElementById('key').addEventListener('change', check)
</script>
</body>
</html>
`
}
