import type { Profile } from '#services/identity/users/profile.ts'
import type { Random } from './random.ts'

/** Made-up people of the countries that the portal knows. Their addresses reach no one. */

const countries = [
  {
    value: 'uk',
    given: [
      'Amelia',
      'Oliver',
      'Priya',
      'George',
      'Imogen',
      'Kwame',
      'Harriet',
      'Tariq',
      'Freya',
      'Callum',
      'Nadia',
      'Rhys',
    ],
    family: [
      'Whitfield',
      'Okafor',
      'Patel',
      'Ashworth',
      'Begum',
      'Mensah',
      'Fairbairn',
      'Hussain',
      'Pemberton',
      'MacLeod',
      'Rahman',
      'Griffiths',
    ],
    cities: ['London', 'Leeds', 'Bristol', 'Glasgow', 'Cardiff', 'Manchester'],
    streets: ['Albert Road', 'Mill Lane', 'Park Crescent', 'Station Road', 'Victoria Street'],
  },
  {
    value: 'us',
    given: [
      'Marcus',
      'Elena',
      'Jamal',
      'Hannah',
      'Diego',
      'Grace',
      'Tyler',
      'Aaliyah',
      'Noah',
      'Camila',
      'Ethan',
      'Mei',
    ],
    family: [
      'Bennett',
      'Ramirez',
      'Washington',
      'Kowalski',
      'Delgado',
      'Nguyen',
      'Sullivan',
      'Brooks',
      'Goldstein',
      'Vasquez',
      'Carter',
      'Lin',
    ],
    cities: ['Austin', 'Chicago', 'Denver', 'Miami', 'Portland', 'Newark'],
    streets: ['Maple Avenue', 'Lakeshore Drive', 'Washington Street', 'Elm Street', 'Sunset Boulevard'],
  },
  {
    value: 'de',
    given: [
      'Lukas',
      'Johanna',
      'Emre',
      'Sophie',
      'Matthias',
      'Aylin',
      'Jonas',
      'Katharina',
      'Stefan',
      'Leonie',
      'Milan',
      'Greta',
    ],
    family: [
      'Brandt',
      'Yilmaz',
      'Hofmann',
      'Schäfer',
      'Krüger',
      'Novak',
      'Lehmann',
      'Demir',
      'Vogel',
      'Böhm',
      'Winkler',
      'Petersen',
    ],
    cities: ['Berlin', 'Hamburg', 'Köln', 'Leipzig', 'München', 'Stuttgart'],
    streets: ['Lindenallee', 'Gartenstraße', 'Bahnhofstraße', 'Am Markt', 'Schillerstraße'],
  },
  {
    value: 'fr',
    given: [
      'Camille',
      'Hugo',
      'Inès',
      'Mathieu',
      'Léa',
      'Karim',
      'Élodie',
      'Antoine',
      'Fatou',
      'Julien',
      'Manon',
      'Thierry',
    ],
    family: [
      'Moreau',
      'Lefèvre',
      'Benali',
      'Girard',
      'Diallo',
      'Rousseau',
      'Chevalier',
      'Haddad',
      'Fontaine',
      'Marchand',
      'Garnier',
      'Traoré',
    ],
    cities: ['Paris', 'Lyon', 'Nantes', 'Lille', 'Bordeaux', 'Toulouse'],
    streets: ['rue de la Paix', 'avenue Foch', 'rue des Lilas', 'boulevard Voltaire', 'rue du Moulin'],
  },
  {
    value: 'ca',
    given: ['Liam', 'Chloe', 'Arjun', 'Sienna', 'Mathis', 'Zara', 'Owen', 'Anaïs', 'Devon', 'Maya', 'Felix', 'Harper'],
    family: [
      'Tremblay',
      'Singh',
      'Campbell',
      'Gagnon',
      'Chung',
      'MacDonald',
      'Sharma',
      'Bouchard',
      'Fraser',
      'Okonkwo',
      'Pelletier',
      'Wong',
    ],
    cities: ['Toronto', 'Montreal', 'Calgary', 'Vancouver', 'Halifax', 'Ottawa'],
    streets: ['King Street', 'Queen Street', 'Granville Street', 'Maple Drive', 'River Road'],
  },
  {
    value: 'au',
    given: [
      'Jack',
      'Matilda',
      'Angus',
      'Ruby',
      'Hamish',
      'Isla',
      'Darcy',
      'Linh',
      'Cooper',
      'Georgia',
      'Kiran',
      'Willow',
    ],
    family: [
      'Harrison',
      'Nguyen',
      'Mitchell',
      'Papadopoulos',
      'Fitzgerald',
      'Tran',
      'Robinson',
      'Costa',
      'Sinclair',
      'Kaur',
      'Walsh',
      'Dunn',
    ],
    cities: ['Sydney', 'Melbourne', 'Brisbane', 'Perth', 'Adelaide', 'Hobart'],
    streets: ['George Street', 'Collins Street', 'Beach Road', 'Flinders Lane', 'Wattle Street'],
  },
  {
    value: 'jp',
    given: ['Haruto', 'Yui', 'Kenji', 'Sakura', 'Ren', 'Aoi', 'Takumi', 'Hana', 'Daichi', 'Mio', 'Sota', 'Emi'],
    family: [
      'Tanaka',
      'Suzuki',
      'Watanabe',
      'Kobayashi',
      'Yamamoto',
      'Nakamura',
      'Saito',
      'Matsumoto',
      'Inoue',
      'Shimizu',
      'Mori',
      'Hayashi',
    ],
    cities: ['Tokyo', 'Osaka', 'Kyoto', 'Nagoya', 'Sapporo', 'Fukuoka'],
    streets: ['Sakura-dori', 'Meiji-dori', 'Aoyama', 'Shinsaibashi', 'Kawaramachi'],
  },
  {
    value: 'cn',
    given: ['Wei', 'Jing', 'Hao', 'Xinyi', 'Jun', 'Ling', 'Ming', 'Yan', 'Tao', 'Mei', 'Lei', 'Qing'],
    family: ['Wang', 'Li', 'Zhang', 'Chen', 'Liu', 'Yang', 'Huang', 'Zhao', 'Wu', 'Zhou', 'Xu', 'Sun'],
    cities: ['Shanghai', 'Shenzhen', 'Chengdu', 'Hangzhou', 'Nanjing', 'Wuhan'],
    streets: ['Nanjing Road', 'Huaihai Road', 'Zhongshan Road', 'Renmin Road', 'Jiefang Road'],
  },
]

type Country = (typeof countries)[number]

/** How often each country occurs. */
const spread = ['uk', 'uk', 'uk', 'us', 'us', 'us', 'de', 'de', 'fr', 'fr', 'ca', 'au', 'jp', 'cn']
const mailHosts = ['example.com', 'example.org', 'example.net', 'mail.example.com', 'inbox.example.org']

export type PeopleGenerator = ReturnType<typeof createPeopleGenerator>

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
