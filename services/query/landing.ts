import { allRoutes } from '../contract/index.ts'

/** A plain page that lists what is there, until the web app takes its place. */
export const landingPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proofdesk</title>
<link rel="stylesheet" href="/landing.css">
</head>
<body>
<main>
<h1>Proofdesk</h1>
<p>The portal of a funded-trader programme. Every decision is recorded as a fact that is never overwritten.</p>
<p>This installation is running. Its HTTP interface is described at <a href="/api/openapi.json">/api/openapi.json</a>;
whether everything is well says <a href="/readyz">/readyz</a>.</p>
<table>
<thead><tr><th>Call</th><th>What it does</th><th>For</th></tr></thead>
<tbody>
${allRoutes.map(({ method, path, summary, access }) => `<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${summary}</td><td>${access}</td></tr>`).join('\n')}
</tbody>
</table>
</main>
</body>
</html>
`

export const landingStyle = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 1000px; margin: 40px auto; padding: 0 20px; }
h1 { font-size: 28px; margin: 0 0 8px; }
table { width: 100%; border-collapse: collapse; margin-top: 24px; }
th, td { text-align: left; padding: 8px 12px 8px 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); vertical-align: top; }
code { font-size: 13px; overflow-wrap: anywhere; }
`
