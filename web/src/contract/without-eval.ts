import { config } from 'zod'

// zod would otherwise try to compile schemas with `new Function`, which the page's security policy forbids and reports.
config({ jitless: true })
