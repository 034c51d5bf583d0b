import './page.css'

/** The page of a shared certificate: compares a PDF with it, without sending the file anywhere. */

const zone = document.getElementById('drop')
const field = document.getElementById('file')
const verdict = document.getElementById('verdict')

// Pages that only say that there is no certificate have none of these.
if (zone && verdict && field instanceof HTMLInputElement) {
  // A file that misses the zone must not open in place of the page.
  for (const type of ['dragover', 'drop']) document.addEventListener(type, (event) => event.preventDefault())
  zone.addEventListener('dragover', () => zone.classList.add('over'))
  zone.addEventListener('dragleave', () => zone.classList.remove('over'))
  zone.addEventListener('drop', ({ dataTransfer }) => {
    zone.classList.remove('over')
    if (!dataTransfer?.files.length) return
    // The field then names the file that was dropped, not the one before.
    field.files = dataTransfer.files
    void check(dataTransfer.files[0])
  })
  field.addEventListener('change', () => void check(field.files?.[0]))
  // Choosing the same name again is a change too.
  field.addEventListener('click', () => (field.value = ''))

  /** Counts the checks, so that the answer of an earlier one is dropped. */
  let checks = 0
  const check = async (file: File | undefined): Promise<void> => {
    if (!file) return
    const check = ++checks
    show('busy', `Checking ${file.name} …`)
    const [look, words] = await compare(file, zone.dataset['sha256'] ?? '')
    if (check === checks) show(look, words)
  }
  const show = (look: Look, words: string) => {
    verdict.className = look
    verdict.textContent = words
  }
}

type Look = 'good' | 'bad' | 'busy'

async function compare(file: File, sha256: string): Promise<readonly [Look, string]> {
  try {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
    const isThis = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') === sha256
    if (isThis) return ['good', `✓ ${file.name} is this certificate: exactly the file that was issued.`]
    return [
      'bad',
      `✗ ${file.name} is not this certificate. It is another file, or it was changed, if only by saving it again. Ask the holder for the original.`,
    ]
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'NotReadableError' || name === 'NotFoundError')
      return ['bad', '✗ The file could not be read. Choose it again.']
    return [
      'bad',
      '✗ This browser cannot check the file here. Use a current version of Chrome, Edge, Firefox or Safari, over https.',
    ]
  }
}
