"""What the shop of ./test long screens sells, and to whom."""

AUTHORS = [
    ("tove-lindgren", "Tove Lindgren", "Sweden", 1961),
    ("amara-diallo", "Amara Diallo", "Senegal", 1974),
    ("henrik-aas", "Henrik Aas", "Norway", 1958),
    ("june-whitfield", "June Whitfield", "Scotland", 1983),
    ("rafael-couto", "Rafael Couto", "Portugal", 1969),
    ("mei-tanaka", "Mei Tanaka", "Japan", 1990),
    ("ines-moreau", "Inès Moreau", "France", 1979),
    ("oskar-brandt", "Oskar Brandt", "Germany", 1966),
]

# Title, author, price, what it is about.
BOOKS = [
    ("Fjords in Winter", 2, 24.5, "A year in a small boat along the coast of Norway, from ice to ice."),
    ("The Patience of Fishermen", 0, 18.9, "Three generations of one family, told through the nets that they mended."),
    ("Salt Roads", 1, 21.0, "How salt was carried across the Sahara, and what came back with it."),
    ("A Garden on the Roof", 5, 16.5, "Growing vegetables above the streets of Osaka, season by season."),
    ("Letters to the Lighthouse", 3, 14.9, "A keeper and a schoolteacher write to each other for forty years."),
    ("Engines of Small Ships", 7, 39.0, "A manual for those who repair marine diesel engines themselves."),
    ("Bread without Hurry", 6, 27.9, "Sourdough at home, with few tools and long nights."),
    ("The Cartographer's Daughter", 4, 19.5, "Lisbon, 1755: a map is finished on the day of the earthquake."),
    ("Birds of the Harbour", 2, 32.0, "A field guide to gulls, terns and waders, with drawings."),
    ("Night Ferry", 3, 12.9, "Short stories that all begin at the same quay."),
    ("What the Tide Left", 0, 17.5, "Poems about beaches after storms."),
    ("Tea Houses of Kyoto", 5, 44.0, "Photographs and floor plans of twenty rooms for tea."),
    ("The Long Ebb", 4, 15.9, "A novel of a village that loses its river."),
    ("Knots and Splices", 7, 22.0, "Sixty knots, each with the load that it bears."),
    ("Market Days in Dakar", 1, 26.5, "A cookbook by stall and by hour."),
    ("The Weather Diary", 6, 13.5, "Every day of a year, in one sentence each."),
    ("Whales at the Window", 2, 11.9, "A picture book for small children and tired parents."),
    ("Stone Walls", 3, 23.9, "How dry stone walls are built, and why they stand."),
    ("The Clockmaker of Basel", 7, 18.0, "A mystery in which every chapter takes an hour."),
    ("Islands without Names", 4, 20.5, "A sailor looks for the islands that maps forgot."),
    ("A Short History of Ink", 6, 16.9, "From soot and oak galls to the printed page."),
    ("The Ice Road", 2, 19.9, "Truckers, fog, and a road that melts every spring."),
    ("Songs for Rowers", 0, 14.5, "Thirty songs with notes for two voices."),
    ("Under the Baobab", 1, 17.9, "Stories that were told to the author by her grandmother."),
    ("Paper Boats", 5, 9.9, "Folding for patient hands, with forty sheets."),
    ("The Baker's Ledger", 6, 15.5, "A crime novel with recipes that work."),
    ("Northern Lights for Beginners", 2, 21.5, "When to look, where to stand, and how to take a picture."),
    ("The Glass Harbour", 4, 18.5, "Two rivals build the same ship."),
    ("Moss", 5, 28.0, "A close look at the smallest forests."),
    ("Postcards from the Delta", 1, 12.5, "Travel notes from a river with a thousand mouths."),
    ("The Last Signal Box", 3, 16.0, "A railway closes, and a town learns to walk."),
    ("Wind Tables", 7, 34.0, "Data and charts for those who sail small boats far."),
    ("Kitchen Physics", 6, 25.0, "Why dough rises, milk boils over, and caramel burns."),
    ("The Heron's Year", 0, 19.0, "One bird, one pond, fifty-two weeks."),
    ("Lanterns on the Lake", 5, 15.0, "A love story in a town that keeps its lamps lit."),
    ("Maps of the Mouth", 4, 13.9, "Essays on the words that sailors brought home."),
]

# Those who sign in and order; the first of each list are the most frequent.
BUYERS = ["Nora Feld", "Ibrahim Sow", "Clara Jensen", "Luca Bianchi", "Priya Nair", "Sam Okafor", "Elif Demir", "Jonas Weber"]
READERS = [
    "Alma Strand", "Benedict Howe", "Carla Ruiz", "Dmitri Volkov", "Esther Mbeki", "Felix Brunner", "Greta Holm", "Hugo Lefèvre",
    "Ida Nygaard", "Jack Morrow", "Kaya Yilmaz", "Lena Hartmann", "Mateo Silva", "Nadia Haddad", "Olivia Grant", "Pavel Novak",
    "Quinn Adler", "Rosa Ferrari", "Stefan Lind", "Thea Eriksen", "Umar Farouk", "Vera Kowalska", "William Ash", "Xenia Popov",
    "Yara Costa", "Zoë Martin", "Anton Keller", "Bianca Rossi", "Conor Walsh", "Daria Petrova", "Emil Berg", "Freya Olsen",
]  # fmt: skip

REVIEWS = [
    "Read it in one night, then again more slowly.",
    "The drawings alone are worth the price.",
    "A little long in the middle, and I did not mind.",
    "My daughter asks for it every evening.",
    "Exact, calm and useful. It lives in the engine room now.",
    "I bought three more, for friends.",
    "The second half is better than the first.",
    "Not what I expected, and the better for it.",
]

SHELVES = ["Sea and coast", "Kitchen", "Novels", "Craft", "Children"]
