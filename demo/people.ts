import type { Profile } from '#services/identity/users/user-vocabulary.ts'
import type { Random } from './random.ts'

/** Made-up people of the countries that the portal knows. Their addresses reach no one. */

const names = (text: string) => text.split(' ')
const places = (text: string) => text.split(', ')

const countries = [
  {
    value: 'uk',
    given: names('Amelia Oliver Priya George Imogen Kwame Harriet Tariq Freya Callum Nadia Rhys'),
    family: names('Whitfield Okafor Patel Ashworth Begum Mensah Fairbairn Hussain Pemberton MacLeod Rahman Griffiths'),
    cities: places('London, Leeds, Bristol, Glasgow, Cardiff, Manchester'),
    streets: places('Albert Road, Mill Lane, Park Crescent, Station Road, Victoria Street'),
  },
  {
    value: 'us',
    given: names('Marcus Elena Jamal Hannah Diego Grace Tyler Aaliyah Noah Camila Ethan Mei'),
    family: names('Bennett Ramirez Washington Kowalski Delgado Nguyen Sullivan Brooks Goldstein Vasquez Carter Lin'),
    cities: places('Austin, Chicago, Denver, Miami, Portland, Newark'),
    streets: places('Maple Avenue, Lakeshore Drive, Washington Street, Elm Street, Sunset Boulevard'),
  },
  {
    value: 'de',
    given: names('Lukas Johanna Emre Sophie Matthias Aylin Jonas Katharina Stefan Leonie Milan Greta'),
    family: names('Brandt Yilmaz Hofmann Schäfer Krüger Novak Lehmann Demir Vogel Böhm Winkler Petersen'),
    cities: places('Berlin, Hamburg, Köln, Leipzig, München, Stuttgart'),
    streets: places('Lindenallee, Gartenstraße, Bahnhofstraße, Am Markt, Schillerstraße'),
  },
  {
    value: 'fr',
    given: names('Camille Hugo Inès Mathieu Léa Karim Élodie Antoine Fatou Julien Manon Thierry'),
    family: names('Moreau Lefèvre Benali Girard Diallo Rousseau Chevalier Haddad Fontaine Marchand Garnier Traoré'),
    cities: places('Paris, Lyon, Nantes, Lille, Bordeaux, Toulouse'),
    streets: places('rue de la Paix, avenue Foch, rue des Lilas, boulevard Voltaire, rue du Moulin'),
  },
  {
    value: 'ca',
    given: names('Liam Chloe Arjun Sienna Mathis Zara Owen Anaïs Devon Maya Felix Harper'),
    family: names('Tremblay Singh Campbell Gagnon Chung MacDonald Sharma Bouchard Fraser Okonkwo Pelletier Wong'),
    cities: places('Toronto, Montreal, Calgary, Vancouver, Halifax, Ottawa'),
    streets: places('King Street, Queen Street, Granville Street, Maple Drive, River Road'),
  },
  {
    value: 'au',
    given: names('Jack Matilda Angus Ruby Hamish Isla Darcy Linh Cooper Georgia Kiran Willow'),
    family: names('Harrison Nguyen Mitchell Papadopoulos Fitzgerald Tran Robinson Costa Sinclair Kaur Walsh Dunn'),
    cities: places('Sydney, Melbourne, Brisbane, Perth, Adelaide, Hobart'),
    streets: places('George Street, Collins Street, Beach Road, Flinders Lane, Wattle Street'),
  },
  {
    value: 'jp',
    given: names('Haruto Yui Kenji Sakura Ren Aoi Takumi Hana Daichi Mio Sota Emi'),
    family: names('Tanaka Suzuki Watanabe Kobayashi Yamamoto Nakamura Saito Matsumoto Inoue Shimizu Mori Hayashi'),
    cities: places('Tokyo, Osaka, Kyoto, Nagoya, Sapporo, Fukuoka'),
    streets: places('Sakura-dori, Meiji-dori, Aoyama, Shinsaibashi, Kawaramachi'),
  },
  {
    value: 'cn',
    given: names('Wei Jing Hao Xinyi Jun Ling Ming Yan Tao Mei Lei Qing'),
    family: names('Wang Li Zhang Chen Liu Yang Huang Zhao Wu Zhou Xu Sun'),
    cities: places('Shanghai, Shenzhen, Chengdu, Hangzhou, Nanjing, Wuhan'),
    streets: places('Nanjing Road, Huaihai Road, Zhongshan Road, Renmin Road, Jiefang Road'),
  },
]

type Country = (typeof countries)[number]

/** How often each country occurs. */
const spread = ['uk', 'uk', 'uk', 'us', 'us', 'us', 'de', 'de', 'fr', 'fr', 'ca', 'au', 'jp', 'cn']
const mailHosts = ['example.com', 'example.org', 'example.net', 'mail.example.com', 'inbox.example.org']

export function createPeopleGenerator(random: Random) {
  const taken = new Set<string>()
  const keep = (profile: Profile): Profile => {
    taken.add(profile.email)
    return profile
  }
  const address = ({ cities, streets }: Country) => ({
    city: random.pick(cities),
    street: random.pick(streets),
    houseNumber: `${random.whole(1, 180)}${random.next() < 0.15 ? 'b' : ''}`,
  })
  const countryOf = (value: string): Country => countries.find((each) => each.value === value) ?? random.pick(countries)

  return {
    /** A new person; no two have the same email. */
    randomPerson(): Profile {
      const country = countryOf(random.pick(spread))
      const [given, family] = [random.pick(country.given), random.pick(country.family)]
      const [one, other] = [plain(given), plain(family)]
      const forms = [
        `${one}.${other}`,
        `${one.slice(0, 1)}${other}`,
        `${one}${random.whole(70, 99)}`,
        `${other}.${one}`,
        `${one}.${other}${random.whole(2, 99)}`,
      ]
      let email = `${random.pick(forms)}@${random.pick(mailHosts)}`
      while (taken.has(email)) email = `${one}.${other}${random.whole(100, 9_999)}@${random.pick(mailHosts)}`
      return keep({ fullName: `${given} ${family}`, email, country: country.value, ...address(country) })
    },
    /** A person of this name, whose email is made of it. */
    personNamed(fullName: string, country: string, city: string): Profile {
      const email = `${fullName.split(' ').map(plain).join('.')}@example.com`
      return keep({ fullName, email, country, ...address(countryOf(country)), city })
    },
  }
}

/** A name as it appears in an address. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace('ß', 'ss')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
}
