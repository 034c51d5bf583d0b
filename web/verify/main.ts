import '../src/zod-without-eval.ts'
import './page.css'
import { serveChecks } from './check-worker.ts'
import { startPage } from './page.ts'

/**
 * The page is one file, so its script runs twice: as the page, and as the worker that checks files. A file that someone
 * made to be slow stops the worker, not the page.
 */
if (typeof document === 'undefined') serveChecks()
else startPage()
