// Answers of object stores are read whole, and nothing else is.

#include "storage/xml.h"

#include <gtest/gtest.h>

namespace wherry::storage {
namespace {

std::string error_of(std::string_view text) {
  const Result<XmlElement> read = parse_xml(text);
  return read.ok() ? "ok" : read.error().what;
}

constexpr std::string_view kList =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    "<IsTruncated>false</IsTruncated><!-- <Contents> -->"
    "<s3:Contents><Key>a&amp;b&#x41;&#228;&lt;</Key><Size>12</Size><Empty/></s3:Contents>\n"
    "<Contents kind='x'><Key><![CDATA[<&>]]></Key><Size >7</Size ></Contents>"
    "</ListBucketResult>\n";

TEST(Xml, ReadsAListOfObjects) {
  const Result<XmlElement> read = parse_xml(kList);
  ASSERT_TRUE(read.ok()) << read.error().what;
  const XmlElement& root = read.value();
  EXPECT_EQ(root.name, "ListBucketResult");
  EXPECT_EQ(root.text_of("IsTruncated"), "false");
  EXPECT_EQ(root.text_of("Marker"), "");
  ASSERT_EQ(root.children.size(), 3u);
  EXPECT_EQ(root.children[1].name, "Contents");
  EXPECT_EQ(root.children[1].text_of("Key"), "a&bA\xC3\xA4<");
  EXPECT_EQ(root.children[1].child("Empty")->text, "");
  EXPECT_EQ(root.children[2].text_of("Key"), "<&>");
  EXPECT_EQ(root.children[2].text_of("Size"), "7");
  EXPECT_EQ(root.child("Owner"), nullptr);
}

TEST(Xml, RejectsEveryTruncatedText) {
  for (std::size_t size = 0; size + 1 < kList.size(); ++size)
    EXPECT_NE(error_of(kList.substr(0, size)), "ok") << size;
}

TEST(Xml, RejectsWhatIsNoneOrCouldHarm) {
  EXPECT_EQ(error_of("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"), "XML: a document type");
  EXPECT_EQ(error_of("<a>&x;</a>"), "XML: an unknown entity");
  EXPECT_EQ(error_of("<a>&#0;</a>"), "XML: an unknown entity");
  EXPECT_EQ(error_of("<a>&#xD800;</a>"), "XML: an unknown entity");
  EXPECT_EQ(error_of("<a>&#x110000;</a>"), "XML: an unknown entity");
  EXPECT_EQ(error_of("<a>&amp</a>"), "XML: a bare '&'");
  EXPECT_EQ(error_of("<a></b>"), "XML: a tag is closed that is not open");
  EXPECT_EQ(error_of("<a></a></a>"), "XML: a tag is closed that is not open");
  EXPECT_EQ(error_of("<a/><b/>"), "XML: two elements at the top");
  EXPECT_EQ(error_of("text"), "XML: text outside of its element");
  EXPECT_EQ(error_of("<a/>text"), "XML: text outside of its element");
  EXPECT_EQ(error_of("< a/>"), "XML: a broken tag");
  EXPECT_EQ(error_of("<a <b></a>"), "XML: a broken tag");
  EXPECT_EQ(error_of(""), "XML: it ends too early");
  std::string deep;
  for (int i = 0; i < 16; ++i) deep += "<a>";
  EXPECT_EQ(error_of(deep), "XML: it ends too early");
  EXPECT_EQ(error_of(deep + "<a>"), "XML: it is nested too deep");
  std::string many = "<a>";
  for (int i = 0; i < 200'000; ++i) many += "<b/>";
  EXPECT_EQ(error_of(many + "</a>"), "XML: it has too many elements");
}

TEST(Xml, TextGoesBetweenTagsAndBack) {
  const std::string text = "a<b>&\"c'";
  const Result<XmlElement> read = parse_xml("<a>" + xml_text(text) + "</a>");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().text, text);
}

}  // namespace
}  // namespace wherry::storage
